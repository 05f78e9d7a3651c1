package sim

import (
	"sync"
	"sync/atomic"
	"time"
)

// Swarm says which runs to make.
type Swarm struct {
	First   uint64        // seed of the first run
	Seeds   uint64        // how many; 0: as many as the budget allows
	Budget  time.Duration // 0: no limit
	Workers int
	Without []FaultKind // faults that are switched off
	Until   int         // stop after so many violations; 0: never
}

// Summary is what a swarm of runs showed.
type Summary struct {
	Runs            uint64
	First, Last     uint64 // seeds
	Failovers       int
	Events          int
	Simulated       Time
	Elapsed         time.Duration // of all workers together
	Violations      int
	LeftOut         int      // runs that were broken off
	Failures        []Result // one an invariant, the first seen
	FailuresByName  map[string]int
	Coverage        Coverage
	EventsPerSecond float64 // of each worker
}

// Run makes the runs, seed after seed, on all workers.
func (s Swarm) Run() Summary {
	var (
		next  atomic.Uint64
		found atomic.Int64
		lock  sync.Mutex
		group sync.WaitGroup
	)
	sum := Summary{First: s.First, FailuresByName: map[string]int{}}
	began := time.Now()
	for range max(1, s.Workers) {
		group.Go(func() {
			own := Summary{FailuresByName: map[string]int{}}
			start := time.Now()
			for {
				i := next.Add(1) - 1
				if s.Seeds > 0 && i >= s.Seeds || s.Budget > 0 && time.Since(began) > s.Budget {
					break
				}
				if s.Until > 0 && found.Load() >= int64(s.Until) {
					break
				}
				r := Run(NewPlan(s.First+i).Without(s.Without), nil)
				own.add(&r)
				if r.Failure != nil {
					found.Add(1)
				}
			}
			own.Elapsed = time.Since(start)
			lock.Lock()
			defer lock.Unlock()
			sum.merge(&own)
		})
	}
	group.Wait()
	if sum.Elapsed > 0 {
		sum.EventsPerSecond = float64(sum.Events) / sum.Elapsed.Seconds()
	}
	return sum
}

func (s *Summary) add(r *Result) {
	s.Runs++
	s.Last = max(s.Last, r.Seed)
	s.Failovers += r.Failovers
	s.Events += r.Events
	s.Simulated += r.Simulated
	s.Coverage.Add(&r.Coverage)
	if r.LeftOut {
		s.LeftOut++
	}
	if r.Failure != nil {
		s.Violations++
		s.FailuresByName[r.Failure.Invariant]++
		s.keep(r)
	}
}

// keep keeps the failure with the lowest seed of every invariant.
func (s *Summary) keep(r *Result) {
	for i := range s.Failures {
		if s.Failures[i].Failure.Invariant == r.Failure.Invariant {
			if r.Seed < s.Failures[i].Seed {
				s.Failures[i] = *r
			}
			return
		}
	}
	s.Failures = append(s.Failures, *r)
}

func (s *Summary) merge(o *Summary) {
	s.Runs += o.Runs
	s.Last = max(s.Last, o.Last)
	s.Failovers += o.Failovers
	s.Events += o.Events
	s.Simulated += o.Simulated
	s.Elapsed += o.Elapsed
	s.Violations += o.Violations
	s.LeftOut += o.LeftOut
	s.Coverage.Add(&o.Coverage)
	for name, n := range o.FailuresByName {
		s.FailuresByName[name] += n
	}
	for i := range o.Failures {
		s.keep(&o.Failures[i])
	}
}

// Without returns the plan without the faults of some kinds.
func (p Plan) Without(kinds []FaultKind) Plan {
	if len(kinds) == 0 {
		return p
	}
	var kept []Fault
	for _, f := range p.Faults {
		off := false
		for _, k := range kinds {
			off = off || f.Kind == k
		}
		if !off {
			kept = append(kept, f)
		}
	}
	p.Faults = kept
	return p
}
