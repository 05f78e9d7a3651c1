#!/bin/sh
# Installs PostgreSQL 15 (Debian's), a real server that tests run against, and
# links it into .cache/bin. No database is made and no service started.
# Does nothing if it is already there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${ELECTD_TEST_BIN:-$root/.cache/bin}
programs=/usr/lib/postgresql/15/bin
if [ ! -x "$programs/postgres" ]; then
	mkdir -p /etc/postgresql-common
	[ -e /etc/postgresql-common/createcluster.conf ] ||
		echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql-15
fi
mkdir -p "$bin"
ln -sf "$programs/postgres" "$bin/postgres"
