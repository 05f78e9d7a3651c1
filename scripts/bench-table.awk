# Reads the output of go test -bench and prints the promised figures: what, at
# most (or, with ">", at least) how much, and how much it was.
BEGIN {
	promise("guard: Check",                                  "core/node", "GuardCheck",    "cpu-ns/op", 100)
	promise("guard: Check, allocations",                     "core/node", "GuardCheck",    "allocs/op", 0)
	promise("core: Step on a heartbeat",                     "core",      "Heartbeat",     "ns/op", 500)
	promise("core: Step on a heartbeat, allocations",        "core",      "Heartbeat",     "allocs/op", 0)
	promise("failover after kill, median",                   demo,        "Kill",          "ms-median", 1550)
	promise("failover after kill, p99",                      demo,        "Kill",          "ms-p99", 1750)
	promise("failover after blip and kill, median",          demo,        "BlipKill",      "ms-median", 1550)
	promise("failover after step-down, median",              demo,        "StepDown",      "ms-median", 30)
	promise("failover at 50/200/50 ms, median",              demo,        "FastKill",      "ms-median", 260)
	promise("memory of a node and its plugin",               demo,        "Footprint",     "MiB-leader", 80)
	promise("busy, a healthy leader",                        demo,        "Footprint",     "%core-leader", 0.5)
	promise("busy, a healthy follower",                      demo,        "Footprint",     "%core-follower", 0.5)
	promise("1,000 elections, one peer: busy",               agent,       "ManyElections", "%cpu/daemon", 10)
	promise("1,000 elections, one peer: an election",        agent,       "ManyElections", "KiB/election", 20)
	promise("bully: failover after kill, the slowest",       "examples/bully", "Kill",      "ms-most", 4000)
	promise("bully: ... in the fast profile, the slowest",   "examples/bully", "FastKill",  "ms-most", 1500)
	promise("bully: failover after step-down, the slowest",  "examples/bully", "StepDown",  "ms-most", 200)
	promise("simulator, a core",                             "core/sim",  "Events",        "events/s", 1500000, ">")
}

function promise(what, pkg, name, unit, goal, sense) {
	rows++
	if (pkg == "") pkg = "cmd/electd/internal/" (name == "ManyElections" ? "agent" : "demo")
	row[rows] = what; key[rows] = pkg SUBSEP name SUBSEP unit; limit[rows] = goal; at[rows] = sense; of[rows] = unit
}

$1 == "pkg:" { pkg = $2; sub(/^github\.com\/electd\/electd\//, "", pkg) }

$1 ~ /^Benchmark/ {
	name = $1
	sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
	for (i = 3; i < NF; i += 2) measured[pkg, name, $(i + 1)] = $i
}

END {
	printf "%-42s %14s %14s  %s\n", "", "promised", "measured", ""
	for (i = 1; i <= rows; i++) {
		split(of[i], unit, /[-\/]/)
		if (!(key[i] in measured)) { printf "%-42s %14s %14s\n", row[i], limit[i], "not measured"; continue }
		got = measured[key[i]]
		good = at[i] == ">" ? got >= limit[i] : got <= limit[i]
		printf "%-42s %s%13s %14s %-9s %s\n", row[i], (at[i] == ">" ? ">" : " "), limit[i], got, of[i], good ? "" : "MISSED"
	}
}
