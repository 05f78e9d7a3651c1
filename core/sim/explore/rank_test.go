package explore

import (
	"slices"
	"testing"
)

func TestRanks(t *testing.T) {
	for _, c := range []struct {
		numbers []uint64
		zero    bool
		want    []byte
	}{
		{numbers: []uint64{5, 4, 5, 9}, want: []byte{3, 2, 3, 5}},
		{numbers: []uint64{105, 104, 105, 106}, want: []byte{3, 2, 3, 4}},
		{numbers: []uint64{0, 1}, want: []byte{0, 2}},
		{numbers: []uint64{0, 1}, zero: true, want: []byte{0, 1}},
		{numbers: []uint64{2}, zero: true, want: []byte{2}},
		{numbers: []uint64{1 << 40, 3}, zero: true, want: []byte{4, 2}},
	} {
		var r ranks
		r.reset(c.zero)
		form := make([]byte, len(c.numbers))
		for i, n := range c.numbers {
			r.note(i, n)
		}
		r.write(form)
		if !slices.Equal(form, c.want) {
			t.Errorf("%v (zero a neighbour: %t) are written %v, want %v", c.numbers, c.zero, form, c.want)
		}
	}
}
