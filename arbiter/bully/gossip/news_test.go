package gossip

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/electd/electd/arbiter/bully/register"
)

var anyItem = rapid.Custom(func(t *rapid.T) Item {
	return Item{
		Key: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
		Ballot: register.Ballot{
			Counter: rapid.Uint64Range(0, 4).Draw(t, "counter"),
			Writer:  rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "writer"),
		},
		Version: rapid.SampledFrom([]string{"v1", "v2", "v3"}).Draw(t, "version"),
	}
})

func board(items ...Item) *Board {
	b := &Board{}
	for _, i := range items {
		b.Add(i)
	}
	return b
}

// Whatever way news takes, everybody ends with the same board.
func TestMergingNewsIsCommutativeAssociativeIdempotent(t *testing.T) {
	merge := func(boards ...*Board) []Item {
		all := &Board{}
		for _, b := range boards {
			for _, i := range b.Items() {
				all.Add(i)
			}
		}
		return all.Items()
	}
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(anyItem, 0, 8)
		a, b, c := board(items.Draw(t, "a")...), board(items.Draw(t, "b")...), board(items.Draw(t, "c")...)
		if !reflect.DeepEqual(merge(a, b), merge(b, a)) {
			t.Fatal("the order matters")
		}
		if !reflect.DeepEqual(merge(board(merge(a, b)...), c), merge(a, board(merge(b, c)...))) {
			t.Fatal("the grouping matters")
		}
		if !reflect.DeepEqual(merge(a, a), a.Items()) {
			t.Fatal("the same news twice matters")
		}
	})
}

// Old news never replaces newer, in whatever order it comes.
func TestStaleNewsIsNoNews(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &Board{}
		for _, i := range rapid.SliceOfN(anyItem, 1, 20).Draw(t, "items") {
			before, known := b.Newest(i.Key)
			fresh := b.Add(i)
			after, _ := b.Newest(i.Key)
			if known && after.Ballot.Below(before.Ballot) {
				t.Fatalf("%v was replaced by the older %v", before, after)
			}
			if !fresh && after != before {
				t.Fatalf("%v is no news, and changed %v to %v", i, before, after)
			}
		}
	})
}

func TestRankIsSuitabilityThenNodeID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.Custom(func(t *rapid.T) Rank {
			return Rank{rapid.IntRange(-2, 2).Draw(t, "suitability"), rapid.SampledFrom([]string{"a", "b", "ba"}).Draw(t, "node")}
		})
		a, b := rank.Draw(t, "a"), rank.Draw(t, "b")
		want := a.Suitability > b.Suitability || a.Suitability == b.Suitability && a.Node > b.Node
		if (a.Compare(b) > 0) != want || a.Compare(b) != -b.Compare(a) {
			t.Fatalf("%v before %v: %d", a, b, a.Compare(b))
		}
	})
}

func FuzzNewsFromTheNetwork(f *testing.F) {
	f.Add(encode(item(1), item(2)))
	f.Add([]byte(`[{"k":"","b":{"Counter":18446744073709551615}}]`))
	f.Add([]byte{0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		items, err := decode(b)
		if err != nil {
			return
		}
		again, err := decode(encode(board(items...).Items()...))
		if err != nil || len(again) > len(items) {
			t.Errorf("%v became %v, %v", items, again, err)
		}
		_ = decodeMeta(b)
	})
}
