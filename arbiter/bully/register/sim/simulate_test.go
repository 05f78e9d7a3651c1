package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/electd/electd/arbiter/bully/register"
)

// call of the history: a read (empty tag) or a swap from Expected to Tag.
type input struct{ Expected, Tag string }

type output struct {
	outcome register.Outcome
	version string
}

// registerModel is what the cluster must look like from outside. A swap of
// unknown outcome may happen at any later time: its return is never.
var registerModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, in, out any) (bool, any) {
		s, i, o := state.(string), in.(input), out.(output)
		switch o.outcome {
		case register.Stored:
			return s == i.Expected, i.Tag
		case register.Mismatch:
			return s != i.Expected && s == o.version, s
		case register.Found:
			return s == o.version, s
		case register.Unknown:
			if s == i.Expected {
				return true, i.Tag
			}
			return true, s
		}
		return false, s
	},
}

// play runs one seed and returns its history.
func play(seed uint64, d time.Duration, early bool) (*Cluster, []porcupine.Operation) {
	random := rand.New(rand.NewPCG(seed, 1))
	c := NewCluster(seed, 3+2*random.IntN(2), Faults{
		Loss: random.Float64() * 0.2, Twice: random.Float64() * 0.2, Late: random.Float64() * 0.05,
		Latency: 5 * time.Millisecond, Partition: time.Second, Restart: time.Second, DiskLoss: 2 * time.Second, Early: early,
	})
	var history []porcupine.Operation
	const clients = 4
	pending := map[int]porcupine.Operation{} // by client: of unknown outcome if the run ends now
	for n := range clients {
		known, writes := "", 0
		var loop func()
		loop = func() {
			w := register.Want{}
			in := input{}
			if random.IntN(3) > 0 {
				writes++
				in = input{Expected: known, Tag: fmt.Sprintf("c%d.%d", n, writes)}
				w.Expected, w.Value = in.Expected, register.Value{Version: in.Tag, Record: "r"}
			}
			called := c.Now
			if in.Tag != "" {
				pending[n] = porcupine.Operation{Input: in, Call: int64(called), Output: output{outcome: register.Unknown}}
			}
			c.Operate(n%len(c.voters), w, time.Duration(50+random.IntN(400))*time.Millisecond, func(r register.Result) {
				delete(pending, n)
				op := porcupine.Operation{
					ClientId: n, Input: in, Call: int64(called), Output: output{r.Outcome, r.Value.Version}, Return: int64(c.Now),
				}
				switch r.Outcome {
				case register.Unknown:
					op.Return, op.ClientId = math.MaxInt64, clients+len(history)
					history = append(history, op)
				case register.Unavailable:
				default:
					history = append(history, op)
					known = r.Value.Version
				}
				c.After(time.Duration(random.IntN(100)+1)*time.Millisecond, loop)
			})
		}
		c.After(time.Duration(n+1)*time.Millisecond, loop)
	}
	c.Run(d)
	for n, op := range pending {
		op.ClientId, op.Return = clients+len(history)+n, math.MaxInt64
		history = append(history, op)
	}
	return c, history
}

// seeds returns how many seeds to play, or the one that ELECTD_SEED names.
func seeds(short, long uint64) (from, to uint64) {
	if text := os.Getenv("ELECTD_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			panic(err)
		}
		return n, n + 1
	}
	if soak {
		return 1, long + 1
	}
	return 1, short + 1
}

// TestSimulatedHistoriesAreLinearizable plays seeds with loss, duplicates, late
// arrivals, partitions with bridges, restarts and lost disks.
func TestSimulatedHistoriesAreLinearizable(t *testing.T) {
	var total Counts
	from, to := seeds(400, 20_000)
	start := time.Now()
	for seed := from; seed < to; seed++ {
		c, history := play(seed, 12*time.Second, seed%2 == 0)
		result := porcupine.CheckOperationsTimeout(registerModel, history, time.Minute)
		if result != porcupine.Ok {
			t.Fatalf("seed %d: %v (%d operations); again with ELECTD_SEED=%d", seed, result, len(history), seed)
		}
		add(&total, c.Seen)
	}
	t.Logf("%d seeds, %.0f events/s: %+v", to-from, float64(total.Events)/time.Since(start).Seconds(), total)
	if to-from > 1 {
		for name, n := range map[string]int{
			"stored": total.Stored, "refused": total.Refused, "found": total.Found, "unknown": total.Unknown,
			"unavailable": total.Unavailable, "outbid": total.Outbid, "disk losses": total.DiskLosses, "readmissions": total.Readmissions,
		} {
			if n < 10 {
				t.Errorf("%s only %d times: the simulation is too kind", name, n)
			}
		}
	}
}

func add(total *Counts, c Counts) {
	total.Events += c.Events
	total.Stored += c.Stored
	total.Refused += c.Refused
	total.Found += c.Found
	total.Unavailable += c.Unavailable
	total.Unknown += c.Unknown
	total.Outbid += c.Outbid
	total.Splits += c.Splits
	total.Restarts += c.Restarts
	total.DiskLosses += c.DiskLosses
	total.Readmissions += c.Readmissions
}

// Once faults stop, every blank voter is admitted and everybody reads the same.
func TestSimulatedClusterRecovers(t *testing.T) {
	from, to := seeds(200, 5000)
	for seed := from; seed < to; seed++ {
		c, _ := play(seed, 5*time.Second, false)
		c.faults = Faults{Latency: c.faults.Latency}
		c.cut = nil
		c.events = nil // whatever was under way is lost
		for i, v := range c.voters {
			v.down = false
			if v.admission != nil {
				c.beginAdmission(i)
			}
		}
		c.Run(30 * time.Second)
		for i, v := range c.voters {
			if v.acceptor.Standing.Generation == 0 {
				t.Fatalf("seed %d: voter %d is still blank", seed, i)
			}
			found := false
			c.Operate(i, register.Want{}, 5*time.Second, func(r register.Result) { found = r.Outcome == register.Found })
			c.Run(6 * time.Second)
			if !found {
				t.Fatalf("seed %d: no read beside voter %d", seed, i)
			}
		}
	}
}

// The contrast: the same splits, once with the merge rule of Habitat's elections
// and once with ours.
func TestHabitatElectsTwoLeadersAndThisDoesNot(t *testing.T) {
	twoLeaders, takes := 0, 0
	const runs = 20
	for seed := range uint64(runs) {
		random := rand.New(rand.NewPCG(seed, 3))
		size := 3 + random.IntN(3)
		splits := []func(int) int{nil}
		for range 4 {
			sides := make([]int, size)
			for i := range sides {
				sides[i] = random.IntN(2)
			}
			splits = append(splits, func(i int) int { return sides[i] })
		}
		if habitatLeaders(random, size, splits) > 1 {
			twoLeaders++
		}
		most, taken := leaseLeaders(seed, size, splits, 12*time.Second)
		takes += taken
		if most > 1 {
			t.Errorf("seed %d: %d leaders at once", seed, most)
		}
	}
	t.Logf("in %d runs: two leaders at one time in %d with Habitat's rule, in none with ours, which elected %d times", runs, twoLeaders, takes)
	if twoLeaders == 0 || takes < runs {
		t.Errorf("the contrast shows nothing: %d runs with two leaders, %d elections of ours", twoLeaders, takes)
	}
}

func BenchmarkSimulator(b *testing.B) {
	events := 0
	for n := range b.N {
		c, _ := play(uint64(n), 5*time.Second, false)
		events += c.Seen.Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
