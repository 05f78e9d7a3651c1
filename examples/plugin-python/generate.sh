#!/bin/sh
# Regenerates plugin/arbiter_pb2.py after a change to the protocol.
set -eu
cd "$(dirname "$0")"
protoc -I ../../plugins/proto/electd/arbiter/v1 --python_out=plugin arbiter.proto
