package core

import (
	"slices"
	"testing"
)

// TestTwinInTheStore: a record at the known position in another session's name
// is told; what is only torn, or newer, is not.
func TestTwinInTheStore(t *testing.T) {
	for name, c := range map[string]struct {
		read func(*Record)
		want bool
	}{
		"the same":                 {func(*Record) {}, false},
		"another session's":        {func(r *Record) { r.Session = "b2" }, true},
		"another session's, newer": {func(r *Record) { r.Session, r.Epoch = "b2", r.Epoch+1 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			r := u.View.Record
			c.read(&r)
			u.adopt(&Event{Kind: ReadDone, Outcome: Applied, Found: FoundRecord, Record: &r, Version: "other"})
			told := slices.ContainsFunc(u.out, func(a Action) bool { return a.Kind == DoTell && a.Reason == ToldTwinSession })
			if told != c.want {
				t.Errorf("told of a twin: %v, want %v", told, c.want)
			}
		})
	}
}
