#!/bin/sh
# Regenerates bullyv1 from votes.proto with pinned generators.
set -eu
cd "$(dirname "$0")"
root=$(git rev-parse --show-toplevel)
"$root/scripts/install-protoc.sh"
PATH=$root/.cache/bin:$PATH protoc --go_out=. --go_opt=module=github.com/electd/electd/arbiter/bully/wire \
	--go-grpc_out=. --go-grpc_opt=module=github.com/electd/electd/arbiter/bully/wire votes.proto
