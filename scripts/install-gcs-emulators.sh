#!/bin/sh
# Installs gcsemulator and fake-gcs-server, the two servers with Google Cloud
# Storage's API that tests run against, into .cache/bin. Does nothing if these
# versions are already there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${ELECTD_TEST_BIN:-$root/.cache/bin}
mkdir -p "$bin"
cd "$bin" # outside the module, so that its dependencies do not mix with ours
want() { # program, module, version, package
	if [ -x "$bin/$1" ] && go version -m "$bin/$1" | grep -q "mod[[:space:]]$2[[:space:]]$3"; then
		return
	fi
	CGO_ENABLED=0 GOBIN=$bin GOFLAGS=-mod=mod go install "$4@$3"
}
emulators=github.com/fullstorydev/emulators/storage
want gcsemulator $emulators v0.0.0-20240401123056-edc69752f474 $emulators/cmd/gcsemulator
fake=github.com/fsouza/fake-gcs-server
want fake-gcs-server $fake v1.56.1 $fake
