package explore

import (
	"reflect"
	"testing"

	"github.com/electd/electd/core"
)

// counted says how many fields of each type canon deals with, by writing them or
// by leaving them out for a reason. A new field has to be dealt with there first.
var counted = map[reflect.Type]int{
	reflect.TypeFor[core.State]():    20,
	reflect.TypeFor[core.Standing](): 3,
	reflect.TypeFor[core.Floor]():    5,
	reflect.TypeFor[core.View]():     14,
	reflect.TypeFor[core.Vow]():      4,
	reflect.TypeFor[core.Owed]():     5,
	reflect.TypeFor[core.Reading]():  5,
	reflect.TypeFor[core.Writing]():  12,
	reflect.TypeFor[core.Attempt]():  2,
	reflect.TypeFor[core.Holding]():  21,
	reflect.TypeFor[core.Round]():    4,
	reflect.TypeFor[core.Peer]():     9,
	reflect.TypeFor[core.Greeting](): 11,
	reflect.TypeFor[core.Record]():   17,
	reflect.TypeFor[core.Message]():  23,
}

func TestCanonKnowsEveryField(t *testing.T) {
	for typ, want := range counted {
		if n := typ.NumField(); n != want {
			t.Errorf("%s has %d fields, canon deals with %d: write the new ones in canon, or leave them out there with a reason", typ, n, want)
		}
	}
}

func TestSet(t *testing.T) {
	s := newSet(4)
	for h := uint64(0); h < 1000; h++ {
		if !s.add(h*0x9e3779b97f4a7c15 + 7) {
			t.Fatalf("%d is not new", h)
		}
	}
	for h := uint64(0); h < 1000; h++ {
		if s.add(h*0x9e3779b97f4a7c15 + 7) {
			t.Fatalf("%d is new again", h)
		}
	}
	if s.used != 1000 {
		t.Errorf("holds %d, want 1000", s.used)
	}
}
