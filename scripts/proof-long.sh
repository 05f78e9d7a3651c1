#!/usr/bin/env bash
# The long proof, and its entry in docs/proof.md. A shorter run, for want of time,
# is made by PROOF_FIRST, PROOF_SEEDS and PROOF_STATES (a grid), and recorded with
# the figures it came to.
set -eu -o pipefail
. "$(dirname "$0")/step.sh"
. scripts/proof.sh

# Below are the figures of the whole run; a part of it need not reach them.
first=${PROOF_FIRST:-1000000} seeds=${PROOF_SEEDS:-1400000}
failovers=10000000 explored=50000000 bound=--long
[ -z "${PROOF_SEEDS:-}" ] || failovers=1
[ -z "${PROOF_STATES:-}" ] || explored=1 bound=--states=$PROOF_STATES

# What was proven is a commit only if the working copy has nothing else.
commit=$(git rev-parse --short HEAD)
[ -z "$(git status --porcelain -- core)" ] || commit="$commit and changes"

record() {
	row="| $(date -u +%F) | $commit | $first to $((first + seeds - 1)) | $(figure run failovers) | $(figure run events) | $(printf %.0f "$(figure run simulated_hours)") | $(figure run violations) | $(figure explore states) |"
	sed -i "s/^<!-- end of runs -->/$row\n&/" docs/proof.md && echo "$row"
}

step build build
step explore explore "$explored" "$bound" --write docs/proof.md
step simulate simulate "$first" "$seeds" "$failovers"
step record record
