package register

import (
	"fmt"
	"testing"
)

// BenchmarkSwap is one swap by three acceptors, without network and disk.
func BenchmarkSwap(b *testing.B) {
	e, err := NewElectorate("bench", []string{"a", "b", "c"})
	if err != nil {
		b.Fatal(err)
	}
	acceptors := make([]Acceptor, 3)
	for i := range acceptors {
		acceptors[i] = NewAcceptor(i, e.Hash(), fmt.Sprint("n", i))
		acceptors[i].Standing.Generation, acceptors[i].Standing.Founding = 1, "f"
	}
	version := ""
	b.ReportAllocs()
	for n := range b.N {
		next := fmt.Sprint("v", n)
		op, todo := Begin(Want{
			Voters: 3, Electorate: e.Hash(), Founding: "f", Key: "k", Expected: version, Value: Value{Version: next, Record: "r"},
		}, Ballot{Counter: uint64(n + 1), Writer: "w"})
		for todo != Finished {
			for i := range acceptors {
				answer, _ := acceptors[i].Vote(op.Request)
				if todo = op.Hear(answer); todo != Listen {
					break
				}
			}
		}
		if op.Result.Outcome != Stored {
			b.Fatalf("%+v", op.Result)
		}
		version = next
	}
}
