#!/bin/sh
# A job that must not run twice at once. What it writes carries the epoch, so
# that whoever reads it can refuse what an older run wrote late.
set -eu
log=${1:-/tmp/electd-nightly.log}
echo "epoch $ELECTD_EPOCH: begun by $ELECTD_NODE" >> "$log"
sleep "${NIGHTLY_SECONDS:-10}" # the work
echo "epoch $ELECTD_EPOCH: done" >> "$log"
