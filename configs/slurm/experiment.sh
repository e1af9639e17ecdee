#!/bin/bash
# Every run of an experiment as a job of its own, and then the comparison. On the login node, with the Python
# environment active, in the folder to which the recipe's paths are relative:
#
#   bash configs/slurm/experiment.sh RECIPE [--tiny] [--set KEY=VALUE ...]
#
# This submits three jobs, each of which waits until the one before has succeeded: one prepares data and initial
# weights, a job array trains and evaluates arms x seeds, and one evaluates what is missing and compares. AT_ONCE=4
# before the command keeps the array to 4 jobs at a time. After a failure, submit the same again: nothing is done twice.
#
# The lines below are for every job; give partition and account as SBATCH_PARTITION and SBATCH_ACCOUNT. The output
# folder must lie on a file system that all machines see.
#SBATCH --job-name=srt-experiment
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
#SBATCH --output=srt-experiment-%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
# To this script, so many seconds before the job is ended: time for one optimizer step and one checkpoint.
#SBATCH --signal=B:TERM@600
set -u
recipe=$1
shift

if [ -z "${SRT_STEP:-}" ]; then
    set -e
    runs=$(srt experiment "$recipe" --runs "$@")
    last=$(($(wc -l <<<"$runs") - 1))
    submit() { SRT_STEP=$1 sbatch --parsable --kill-on-invalid-dep=yes "${@:2}"; }
    prepare=$(submit prepare "$0" "$recipe" "$@")
    array=$(submit run --dependency="afterok:${prepare%%;*}" --array="0-$last${AT_ONCE:+%$AT_ONCE}" "$0" "$recipe" "$@")
    compare=$(submit compare --dependency="afterok:${array%%;*}" "$0" "$recipe" "$@")
    echo "prepare ${prepare%%;*}, $((last + 1)) runs ${array%%;*}, compare ${compare%%;*}"
    exit
fi

case $SRT_STEP in
    prepare) own=(--prepare) ;;
    run)
        mapfile -t runs < <(srt experiment "$recipe" --runs "$@")
        read -r -a own <<<"${runs[$SLURM_ARRAY_TASK_ID]}"
        ;;
    compare) own=() ;;
esac
srt experiment "$recipe" ${own[@]+"${own[@]}"} "$@" &
run=$!

# A signal also ends "wait", so wait again.
trap 'kill -TERM "$run" 2>/dev/null' TERM USR1
while true; do
    wait "$run"
    status=$?
    kill -0 "$run" 2>/dev/null || break
done

# 143: stopped by a signal; it continues where it was. Slurm may have put the job back by itself already.
if [ "$status" -eq 143 ]; then
    scontrol requeue "$SLURM_JOB_ID" || true
fi
exit "$status"
