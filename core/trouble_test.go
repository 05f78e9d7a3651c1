package core

import (
	"strings"
	"testing"
)

// TestTroubleIsOver: what was told is taken back by what mends it, and by nothing
// else.
func TestTroubleIsOver(t *testing.T) {
	read := func(r Record) func(*turn) {
		return func(t *turn) {
			t.Read.Op = 7
			t.readAnswered(&Event{Kind: ReadDone, Op: 7, Outcome: Applied, Found: FoundRecord, Record: &r, Version: t.View.Version})
		}
	}
	record := followingB().View.Record
	others := record
	others.Electors, others.Revision = of("b", "c"), record.Revision+1
	above := record
	above.Epoch, above.Revision, above.Session = record.Epoch+1, record.Revision+1, "c1"
	saved := func(ok bool) func(*turn) {
		return func(t *turn) { t.Floor.Op = 7; t.floorSaved(&Event{Op: 7, OK: ok, Epoch: 3}) }
	}
	stopped := func(ok bool) func(*turn) {
		return func(t *turn) { t.Lead.Service, t.Lead.Op = Stopping, 7; t.fenceAnswered(&Event{Op: 7, OK: ok}) }
	}
	for name, c := range map[string]struct {
		told Reason
		then func(*turn)
		want Reason
	}{
		"saved":                          {ToldFloorUnsaved, saved(true), ""},
		"not saved":                      {ToldFloorUnsaved, saved(false), ToldFloorUnsaved},
		"stopped":                        {ToldStopFailed, stopped(true), ""},
		"not stopped":                    {ToldStopFailed, stopped(false), ToldStopFailed},
		"there again":                    {ToldRecordGone, read(record), ""},
		"readable":                       {ToldRecordCorrupt, read(record), ""},
		"of a known format":              {ToldFormatNewer, read(record), ""},
		"allowed":                        {ToldDenied, read(record), ""},
		"understood":                     {ToldInvalid, read(record), ""},
		"an elector":                     {ToldStranger, read(record), ""},
		"still no elector":               {ToldStranger, read(others), ToldStranger},
		"a twin, though read":            {ToldTwinSession, read(record), ToldTwinSession},
		"twins of an epoch that is over": {ToldTwinSession, read(above), ""},
		"may read, not write":            {ToldDenied, func(t *turn) { t.open(of("a"), 1); t.Write.Base = record.Position(); read(record)(t) }, ToldDenied},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			u.Trouble = trouble(c.told)
			if c.then(u); u.Trouble.Gravest() != c.want {
				t.Errorf("%q is told, want %q", u.Trouble.Gravest(), c.want)
			}
		})
	}
}

// TestTroublesAreToldOnceEach: two that last do not make each other new.
func TestTroublesAreToldOnceEach(t *testing.T) {
	u := followingB()
	for range 3 {
		u.tell(ToldDenied)
		u.tell(ToldFloorUnsaved)
	}
	if len(u.out) != 2 || u.Trouble.Gravest() != ToldFloorUnsaved {
		t.Errorf("told %d times, the gravest is %q", len(u.out), u.Trouble.Gravest())
	}
	u.over(ToldFloorUnsaved)
	if u.Trouble.Gravest() != ToldDenied {
		t.Errorf("what is left is %q", u.Trouble.Gravest())
	}
	for reason, name := range readDeclared(t).reasons {
		if told := strings.HasPrefix(name, "Told"); told != (trouble(reason) != 0) {
			t.Errorf("%s in the order of gravity: %t", name, !told)
		}
	}
}
