#!/usr/bin/env bash
#SBATCH --array=0-99
#SBATCH --cpus-per-task=4
#SBATCH --mem=9G
#SBATCH --time=24:00:00
# A job array over a plan: each of a hundred tasks counts every hundredth unit, and a task that is
# submitted again resumes. Submit from the directory of plan.jsonl:
#
#   perft plan startpos 11 --ply 5 -o plan.jsonl
#   sbatch tests/cluster/slurm.sh
#   perft total plan.jsonl results-*.jsonl
#
# To submit some of a hundred tasks again: PERFT_TASKS=100 sbatch --array=7,31 tests/cluster/slurm.sh
set -euo pipefail
perft=${PERFT:-perft}
tasks=${PERFT_TASKS:-${SLURM_ARRAY_TASK_COUNT:-1}}
task=${SLURM_ARRAY_TASK_ID:-0}
if [ "$task" -ge "$tasks" ]; then
  echo "task $task of $tasks: number tasks from 0, or set PERFT_TASKS to their number" >&2
  exit 2
fi
awk -v tasks="$tasks" -v task="$task" 'NR > 1 && NR % tasks == task' plan.jsonl |
  "$perft" work --quiet --threads "${SLURM_CPUS_PER_TASK:-1}" --hash "${PERFT_HASH:-8G}" \
    -o "results-$task.jsonl"
