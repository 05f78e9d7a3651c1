package sim

// Shrink returns the plan with as few faults as it takes to break the same
// invariant (delta debugging), then with the simplest form of each. runs says
// how many runs that took.
func Shrink(p Plan) (shrunk Plan, runs int) {
	first := Run(p, nil)
	if first.Failure == nil {
		return p, 1
	}
	runs = 1
	fails := func(faults []Fault) bool {
		q := p
		q.Faults = faults
		runs++
		r := Run(q, nil)
		return r.Failure != nil && r.Failure.Invariant == first.Failure.Invariant
	}
	faults := reduce(p.Faults, fails)
	faults = simplify(faults, fails)
	p.Faults = faults
	return p, runs
}

// reduce is ddmin: it drops ever smaller parts as long as the rest still fails.
func reduce(faults []Fault, fails func([]Fault) bool) []Fault {
	for size := (len(faults) + 1) / 2; size >= 1 && len(faults) > 0; {
		dropped := false
		for from := 0; from < len(faults); from += size {
			to := min(from+size, len(faults))
			rest := append(append([]Fault(nil), faults[:from]...), faults[to:]...)
			if fails(rest) {
				faults, dropped = rest, true
				from -= size
			}
		}
		switch {
		case size == 1 && !dropped:
			return faults
		case size > 1:
			size = (size + 1) / 2
		}
	}
	return faults
}

// simplify lets every fault strike at a plain time, and last no longer than it
// must, where that still fails.
func simplify(faults []Fault, fails func([]Fault) bool) []Fault {
	for i := range faults {
		for _, change := range []func(*Fault){
			func(f *Fault) { f.Moment, f.After = AnyTime, 0 },
			func(f *Fault) { f.Lasts /= 4 },
			func(f *Fault) { f.Lasts /= 2 },
		} {
			tried := append([]Fault(nil), faults...)
			change(&tried[i])
			if tried[i] != faults[i] && fails(tried) {
				faults = tried
			}
		}
	}
	return faults
}
