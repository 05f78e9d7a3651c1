#!/bin/sh
# Installs versitygw, a real S3 server that tests run against, into .cache/bin.
# Does nothing if this version is already there.
set -eu
version=v1.8.0
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${ELECTD_TEST_BIN:-$root/.cache/bin}
if [ -x "$bin/versitygw" ] && go version -m "$bin/versitygw" | grep -q "github.com/versity/versitygw[[:space:]]$version"; then
	exit 0
fi
mkdir -p "$bin"
cd "$bin" # outside the module, so that its dependencies do not mix with ours
CGO_ENABLED=0 GOBIN=$bin GOFLAGS=-mod=mod go install "github.com/versity/versitygw/cmd/versitygw@$version"
