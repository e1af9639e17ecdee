#!/usr/bin/env bash
# What to run first on a machine with GPUs: bash benchmarks/gpu/first_ten_minutes.sh [--minutes 10] [--out FOLDER]
# On a machine without one, --tiny runs every step with tiny models. benchmarks/gpu/README.md says what is checked.
MODULE=benchmarks.gpu.first_ten_minutes exec bash "$(dirname "$0")/run.sh" "$@"
