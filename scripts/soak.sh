#!/usr/bin/env bash
# The repetitions that are too long for every change.
set -eu
. "$(dirname "$0")/step.sh"
for script in scripts/install-*.sh; do "$script"; done
export ELECTD_SOAK=1
step soak go test -count=1 -timeout 3h ./...
