#!/bin/sh
# Installs nfpm, which builds the Debian package of examples/debian, into
# .cache/bin. Does nothing if this version is already there.
set -eu
version=v2.48.0
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${ELECTD_TEST_BIN:-$root/.cache/bin}
if [ -x "$bin/nfpm" ] && go version -m "$bin/nfpm" | grep -q "github.com/goreleaser/nfpm/v2[[:space:]]$version"; then
	exit 0
fi
mkdir -p "$bin"
cd "$bin" # outside the module, so that its dependencies do not mix with ours
CGO_ENABLED=0 GOBIN=$bin GOFLAGS=-mod=mod go install "github.com/goreleaser/nfpm/v2/cmd/nfpm@$version"
