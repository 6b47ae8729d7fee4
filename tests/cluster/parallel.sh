#!/usr/bin/env bash
# A count over several workers with GNU parallel, as docs/deep-counts.md describes it, with one
# worker killed in the middle. Usage: tests/cluster/parallel.sh [PERFT]
set -euo pipefail
perft=$(realpath "${1:-target/release/perft}")
expected=3195901860
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
# A path without special characters, which no other worker has.
ln -s "$perft" perft
perft="$PWD/perft"

# A slow kernel, so that there is time to kill a worker.
worker="$perft work --quiet --threads 1 --hash 0 --kernel simple"

"$perft" plan startpos 7 --ply 3 -o plan.jsonl

echo "== two workers, one of them killed"
parallel --will-cite --pipe -N 1500 --jobs 2 --line-buffer "$worker" \
  < plan.jsonl > results.jsonl 2> parallel.log &
running=$!
while [ ! -s results.jsonl ]; do
  kill -0 "$running" 2>/dev/null || { cat parallel.log >&2; exit 1; }
  sleep 0.05
done
victim=$(pgrep -n -f "^$worker")
kill -KILL "$victim"
if wait "$running"; then
  echo "parallel succeeded although a worker was killed" >&2
  exit 1
fi

if "$perft" total plan.jsonl results.jsonl 2> missing.log; then
  echo "nothing is missing: the worker was killed too late" >&2
  exit 1
fi
cut -c 1-80 missing.log

echo "== the missing units, again with two workers"
"$perft" total plan.jsonl results.jsonl --missing > rest.jsonl
parallel --will-cite --pipe -N 100 --jobs 2 --line-buffer "$worker" < rest.jsonl >> results.jsonl
total=$("$perft" total plan.jsonl results.jsonl --audit 1%)
echo "$total"
[ "$total" = "Nodes searched: $expected" ]
