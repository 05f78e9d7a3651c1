#!/bin/sh
# Regenerates the Go code of the plugin protocol with pinned generators.
set -eu
cd "$(dirname "$0")"
root=$(git rev-parse --show-toplevel)
"$root/scripts/install-protoc.sh"
PATH="$root/.cache/bin:$PATH"
protoc -I . --go_out=. --go_opt=paths=source_relative \
  --go-grpc_out=. --go-grpc_opt=paths=source_relative \
  electd/arbiter/v1/arbiter.proto
