#!/bin/sh
# Puts the plugin into one executable file, which can be pinned as a whole:
#   build.sh FILE
set -eu
file=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")"
/usr/bin/python3 -m zipapp plugin --python /usr/bin/python3 --output "$file"
