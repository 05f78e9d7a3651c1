#!/bin/sh
# Installs promtool (Debian's prometheus), with which the tests check the alert
# rules. Does nothing if one is there. The server itself is not started.
set -eu
command -v promtool >/dev/null && exit 0
apt-get install -y --no-install-recommends prometheus
if [ -d /run/systemd/system ]; then systemctl disable --now prometheus prometheus-node-exporter || true; fi
