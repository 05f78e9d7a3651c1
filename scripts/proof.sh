# To be sourced after step.sh: the searches that make up the proof, each of which
# leaves its report in $reports and fails if it found or reached too little.
reports=$PWD/.cache/proof
electsim=$PWD/.cache/electsim
mkdir -p "$reports"

# The last line of a report, which is its sum, has "name":number.
figure() { # report, name
	tail -n 1 "$reports/$1.json" | sed -n "s/.*\"$2\":\([0-9.]*\).*/\1/p"
}

# Fails unless a report's figure is high enough.
enough() { # report, name, least
	got=$(figure "$1" "$2")
	[ "${got:-0}" -ge "$3" ] && return
	echo "$1: $2 is ${got:-missing}, at least $3 are wanted" >&2
	return 1
}

simulate() { # first seed, seeds, least failovers
	"$electsim" run --first "$1" --seeds "$2" --json | tee "$reports/run.json" || return 1
	enough run failovers "$3"
}

explore() { # least states, more flags
	least=$1
	shift
	"$electsim" explore --json "$@" | tee "$reports/explore.json" || return 1
	enough explore states "$least"
}

# Everything that is left for the mutants is what they need and no more: each
# ends as soon as it is found out.
mutants() { # more flags
	"$electsim" mutants --json "$@" | tee "$reports/mutants.json"
}

build() { go build -o "$electsim" ./core/sim/electsim; }
