#!/usr/bin/env bash
# The short check, under a minute with a build cache: formatting, vet, who may
# import whom, and the tests that need no server.
set -eu
. "$(dirname "$0")/step.sh"
step format formatted
step vet go vet ./...
step imports go test .
step tests go test -short ./core ./core/node ./transport/... ./client/... ./cmd/electd/internal/config ./cmd/electd/internal/datadir
printf '\nall checks passed in %s s\n' "$(($(date +%s) - began))"
