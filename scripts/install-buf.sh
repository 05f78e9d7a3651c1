#!/bin/sh
# Installs buf, which checks the plugin protocol, into .cache/bin. Does nothing if
# this version is already there.
set -eu
version=1.59.0
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${ELECTD_TEST_BIN:-$root/.cache/bin}
if [ -x "$bin/buf" ] && [ "$("$bin/buf" --version 2>&1)" = "$version" ]; then
	exit 0
fi
mkdir -p "$bin"
cd "$bin" # outside the module, so that its dependencies do not mix with ours
CGO_ENABLED=0 GOBIN=$bin GOFLAGS=-mod=mod go install "github.com/bufbuild/buf/cmd/buf@v$version"
