#!/bin/sh
# Installs protoc (Debian's protobuf-compiler) and the pinned Go generators.
set -eu
cd "$(dirname "$0")/.."
command -v protoc >/dev/null || apt-get install -y --no-install-recommends protobuf-compiler
mkdir -p .cache/bin
want() { # program, its version line, module
  [ "$(.cache/bin/"$1" --version 2>/dev/null)" = "$2" ] ||
    CGO_ENABLED=0 GOBIN=$PWD/.cache/bin go install "$3"
}
want protoc-gen-go "protoc-gen-go v1.36.12" google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
want protoc-gen-go-grpc "protoc-gen-go-grpc 1.6.1" google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.1
