#!/usr/bin/env bash
# Everything that must hold before a change lands. Installs what it needs: tools
# and servers into .cache/bin, Debian packages if they are missing.
set -eu
. "$(dirname "$0")/step.sh"

# The lists of Debian's packages, where none are there yet.
lists() { ls /var/lib/apt/lists/*_Packages >/dev/null 2>&1 || apt-get update; }

# protoc only makes files that are committed, so tests do not need it.
servers() {
	lists || return 1
	for script in scripts/install-*.sh; do
		[ "$script" = scripts/install-protoc.sh ] || "$script" || return 1
	done
}

# Every platform that releases are built for.
platforms() {
	for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do
		echo "$platform"
		GOOS=${platform%/*} GOARCH=${platform#*/} go build ./... && GOOS=${platform%/*} GOARCH=${platform#*/} go vet ./... || return 1
	done
}

demo() {
	go build -o .cache/electd ./cmd/electd &&
		.cache/electd demo --script kill,freeze,partition,blip-kill,store-outage,step-down --json
}

step servers servers
step format formatted
step vet go vet ./...
step staticcheck staticcheck
# Most tests wait for time to pass, so more packages than processors run at once.
step tests go test -p 4 ./...
step race go test -p 4 -race -short ./core/node ./transport/... ./plugins ./client ./cmd/electd/internal/agent ./cmd/electd/internal/api ./cmd/electd/internal/supervise/...
step proof scripts/proof-short.sh
step demo demo
step platforms platforms
printf '\neverything passed in %s s\n' "$(($(date +%s) - began))"
