#!/bin/sh
# Regenerates the Go code of wire.proto with pinned generators.
set -eu
cd "$(dirname "$0")/../../.."
scripts/install-protoc.sh
PATH="$PWD/.cache/bin:$PATH" protoc \
  --go_out=. --go_opt=paths=source_relative \
  --go-grpc_out=. --go-grpc_opt=paths=source_relative \
  transport/wire/wirepb/wire.proto
