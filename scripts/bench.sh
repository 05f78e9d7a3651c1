#!/usr/bin/env bash
# Prints the figures that docs/ and the design promise.
set -eu
. "$(dirname "$0")/step.sh"
for script in scripts/install-*.sh; do "$script"; done
step benchmarks go test -run '^$' -bench . -benchmem ./...
