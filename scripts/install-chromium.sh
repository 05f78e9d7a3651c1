#!/bin/sh
# Installs Debian's Chromium and a typeface, with which the tests look at the web
# page. Does nothing if a Chromium is there.
set -eu
command -v chromium >/dev/null || apt-get install -y --no-install-recommends chromium fonts-inter
