#!/usr/bin/env bash
# Measure on the GPU of this machine: bash benchmarks/gpu/run.sh --case a [--minutes 9] [--out FILE.json]
#
# Uses the Python environment that is active (or PYTHON=...) if it has all that is needed. Otherwise it makes .venv-gpu,
# which sees the packages of that Python (a machine for GPUs has its own torch), and lets pip add what is missing. Where
# there is no package index, give pip a folder of wheels: PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels bash benchmarks/gpu/run.sh ...
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}

# The versions that the project asks for, without what a benchmark on one GPU has no use for.
needed() {
    "$1" - <<'PYTHON_CODE'
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
idle = ("wandb", "deepspeed", "bitsandbytes")
names = [*project["dependencies"], *project["optional-dependencies"]["train"]]
print("\n".join(name.partition(";")[0].strip() for name in names if not name.startswith(idle)))
PYTHON_CODE
}

complete() {
    needed "$1" | "$1" -c '
import importlib.metadata, sys
from packaging.requirements import Requirement
for line in sys.stdin:
    wanted = Requirement(line.strip())
    there = importlib.metadata.version(wanted.name)
    if not wanted.specifier.contains(there, prereleases=True):
        raise SystemExit(1)
' 2>/dev/null
}

if ! complete "$python"; then
    [ -x .venv-gpu/bin/python ] || "$python" -m venv --system-site-packages .venv-gpu
    python=.venv-gpu/bin/python
    if ! complete "$python"; then
        needed "$python" >.venv-gpu/needed.txt
        "$python" -m pip install --quiet --requirement .venv-gpu/needed.txt packaging ||
            { echo "error: pip could not install $(tr '\n' ' ' <.venv-gpu/needed.txt)" >&2; exit 2; }
    fi
fi
exec "$python" -m "${MODULE:-benchmarks.gpu}" "$@"
