#!/bin/sh
# Installs systemd-analyze, which tests have look at the unit in examples/systemd.
# Does nothing if it is there.
set -eu
command -v systemd-analyze >/dev/null && exit 0
apt-get install -y --no-install-recommends systemd
