package plugins_test

import (
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// An age is believed only of a plugin that says it knows ages, and only of a
// record: a challenger waits a lease less the age.
func TestAgesAreBelievedOnlyOfWhoKnowsThem(t *testing.T) {
	for behaviour, knows := range map[string]bool{"memory": true, "ageless": false} {
		t.Run(behaviour, func(t *testing.T) {
			spec, _ := specFor(t, behaviour)
			a := launch(t, spec, nil).Arbiter()
			watch, err := a.(core.Watcher).Watch(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			if s, err := a.Read(t.Context(), "k"); err != nil || s.Age != 0 {
				t.Errorf("a key that holds nothing: age %s, %v, want none", s.Age, err)
			}
			if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")}); err != nil {
				t.Fatal(err)
			}
			s, err := a.Read(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			if (s.Age > 0) != knows || s.StoreTime.IsZero() == knows {
				t.Errorf("read with age %s and store time %s; the plugin knows them: %v", s.Age, s.StoreTime, knows)
			}
			select {
			case s := <-watch:
				if s.StoreTime.IsZero() == knows {
					t.Errorf("watched with store time %s; the plugin knows it: %v", s.StoreTime, knows)
				}
			case <-time.After(patient):
				t.Error("the watch sent nothing")
			}
		})
	}
}
