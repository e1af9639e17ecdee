#!/bin/bash
# One machine:   sbatch configs/slurm/train.sh RECIPE ddp_8gpu [--set KEY=VALUE ...]
# Two machines:  sbatch --nodes=2 configs/slurm/train.sh RECIPE two_nodes [--set KEY=VALUE ...]
#
# The second argument is a launch file of configs/. Submit from the folder to which the recipe's paths are relative, with
# the Python environment active. When the job is preempted or its time is over, the run writes a checkpoint, and the job
# goes back into the queue and continues from there; a job that failed stays out. Data, models and output must lie on a
# file system that all machines see.
#SBATCH --job-name=srt
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=64
#SBATCH --time=24:00:00
#SBATCH --output=srt-%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
# To this script, so many seconds before the job is ended: time for one optimizer step and one checkpoint.
#SBATCH --signal=B:TERM@600
set -u
recipe=$1 launch_file=$2
shift 2

# Port and address at which the processes of several machines find each other; one machine needs neither.
address=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
port=$((20000 + SLURM_JOB_ID % 20000))

# One srt train on each machine; if one fails, the others are ended. "exec": nothing stands between it and the signals.
srun --kill-on-bad-exit=1 bash -c '
    address=$1 port=$2 && shift 2
    exec srt train "$@" -- --machine_rank "$SLURM_NODEID" --main_process_ip "$address" --main_process_port "$port"
' bash "$address" "$port" "$recipe" --accelerate "$launch_file" --resume "$@" &
run=$!

# srun passes the signal on to all processes on all machines. A signal also ends "wait", so wait again.
trap 'kill -TERM "$run" 2>/dev/null' TERM USR1
while true; do
    wait "$run"
    status=$?
    kill -0 "$run" 2>/dev/null || break
done

# 143: stopped by a signal, with a checkpoint. Slurm may have put the job back by itself already.
if [ "$status" -eq 143 ]; then
    scontrol requeue "$SLURM_JOB_ID" || true
fi
exit "$status"
