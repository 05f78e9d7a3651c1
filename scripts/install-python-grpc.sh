#!/bin/sh
# Installs Debian's gRPC and protobuf for Python, which the Python example needs.
# Does nothing if they are already there.
set -eu
/usr/bin/python3 -c 'import grpc, google.protobuf' 2>/dev/null ||
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-grpcio python3-protobuf
