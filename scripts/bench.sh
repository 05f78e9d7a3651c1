#!/usr/bin/env bash
# Measures everything, and at the end shows the figures that docs/benchmarks.md
# promises beside what was measured. Takes about ten minutes; on a machine that
# has other work, what is measured is that.
set -eu
. "$(dirname "$0")/step.sh"
for script in scripts/install-*.sh; do "$script"; done
results=$(mktemp)
trap 'rm -f "$results"' EXIT
benchmarks() { go test -run '^$' -bench . -benchmem -timeout 60m -p 1 ./... 2>&1 | grep -v 'no test files' | tee "$results"; }
step benchmarks benchmarks
printf '\n'
awk -f scripts/bench-table.awk "$results"
