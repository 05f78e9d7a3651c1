#!/bin/sh
# Installs etcd 3.4, a real etcd server that tests run against, into .cache/bin:
# the program out of Debian's package, which is not installed itself, so that no
# service is started. Does nothing if it is already there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${ELECTD_TEST_BIN:-$root/.cache/bin}
if [ -x "$bin/etcd" ]; then
	exit 0
fi
mkdir -p "$bin"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download etcd-server
dpkg-deb --fsys-tarfile etcd-server_*.deb | tar -x ./usr/bin/etcd
mv usr/bin/etcd "$bin/etcd"
