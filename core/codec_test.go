package core

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// name draws what can stand in a record: letters that JSON has to escape as well.
func name() *rapid.Generator[string] {
	return rapid.StringMatching(`[a-z0-9."\\/<&é-]{1,12}`)
}

func wallClock() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 4_000_000_000_000))
}

func lease() *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(1, maxLeaseMS), func(ms int64) time.Duration {
		return time.Duration(ms) * time.Millisecond
	})
}

// aRecord draws any record that may be stored.
func aRecord() *rapid.Generator[Record] {
	return rapid.Custom(func(t *rapid.T) Record {
		r := Record{
			Format: Format, Election: name().Draw(t, "election"),
			Epoch: Epoch(rapid.Uint64Min(1).Draw(t, "epoch")), Revision: Revision(rapid.Uint64Min(1).Draw(t, "revision")),
			State: Vacant, WriteID: name().Draw(t, "write_id"),
			ArbiterLease: lease().Draw(t, "arbiter_lease"), HeartbeatLease: lease().Draw(t, "heartbeat_lease"),
			AcquiredAt: wallClock().Draw(t, "acquired"), WrittenAt: wallClock().Draw(t, "written"), ExpiresAt: wallClock().Draw(t, "expires"),
		}
		if rapid.Bool().Draw(t, "held") {
			r.State, r.Holder, r.Session = Held, name().Draw(t, "holder"), name().Draw(t, "session")
			r.Addresses = Addresses{Peer: name().Draw(t, "peer address"), API: name().Draw(t, "api address")}
		} else if rapid.Bool().Draw(t, "with successor") {
			r.Successor = name().Draw(t, "successor")
		}
		for _, node := range rapid.SliceOfNDistinct(name(), 0, MaxElectors, rapid.ID[string]).Draw(t, "electors") {
			r.Electors = r.Electors.With(Elector{node, name().Draw(t, "identity")})
		}
		more := map[string]any{}
		for _, member := range rapid.SliceOfDistinct(name(), rapid.ID[string]).Draw(t, "unknown members") {
			more["x-"+member] = rapid.OneOf(
				rapid.Just[any](nil), rapid.Just[any](map[string]any{"a": []any{1.5, "}"}}),
				rapid.Map(name(), func(s string) any { return s }),
			).Draw(t, "value")
		}
		if len(more) > 0 {
			text, err := json.Marshal(more)
			if err != nil {
				t.Fatal(err)
			}
			r.Unknown = string(text)
		}
		return r
	})
}

// TestCodecRoundTrip: what is encoded decodes to the same record, unknown
// members included; what is too large is refused, and nothing else is.
func TestCodecRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := aRecord().Draw(t, "record")
		text, err := Encode(&r)
		if err != nil {
			if len(r.Unknown) < MaxRecordBytes/2 {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		if len(text) > MaxRecordBytes {
			t.Fatalf("%d bytes", len(text))
		}
		got, found, err := Decode(text)
		if err != nil || found != FoundRecord {
			t.Fatalf("found %d, %v in %s", found, err, text)
		}
		if got != r {
			t.Fatalf("a record changed on its way:\n%+v\n%+v\n%s", r, got, text)
		}
	})
}

// TestCodecKeepsUnknownMembers: a node that does not know a member leaves it as
// it is when it writes, whatever else changes.
func TestCodecKeepsUnknownMembers(t *testing.T) {
	stored := `{"region":{"name":"eu","zones":[1,2]},` + storedRecord[1:len(storedRecord)-1] + `,"zz":null}`
	r, found, err := Decode([]byte(stored))
	if err != nil || found != FoundRecord {
		t.Fatal(found, err)
	}
	r.Epoch, r.Session = 9, "b7"
	text, err := Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(all["region"]) != "map[name:eu zones:[1 2]]" || fmt.Sprintf("%v %v", all["lease_epoch"], all["session"]) != "9 b7" {
		t.Errorf("wrote %s", text)
	}
	if zz, ok := all["zz"]; !ok || zz != nil {
		t.Errorf("a null member was lost: %s", text)
	}
}

// TestCodecBound: 4096 bytes are a record, 4097 are not.
func TestCodecBound(t *testing.T) {
	r, _, err := Decode([]byte(storedRecord))
	if err != nil {
		t.Fatal(err)
	}
	empty, err := Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	r.Addresses.API += strings.Repeat("a", MaxRecordBytes-len(empty))
	if text, err := Encode(&r); err != nil || len(text) != MaxRecordBytes {
		t.Errorf("%d bytes: %v", len(text), err)
	}
	r.Addresses.API += "a"
	if _, err := Encode(&r); err == nil || !strings.Contains(err.Error(), "4097 bytes") {
		t.Errorf("one byte too many: %v", err)
	}
}

// storedRecord is a record as the store holds it.
const storedRecord = `{"format":1,"election":"orders","lease_epoch":3,"revision":7,"holder":"a","session":"a1","write_id":"w7",` +
	`"state":"held","successor":"","electors":[{"node":"a","identity":"id-a"},{"node":"b","identity":"id-b"}],` +
	`"arbiter_lease_ms":30000,"heartbeat_lease_ms":1500,"addresses":{"peer":"10.0.0.1:7400","api":""},` +
	`"acquired_at":"2023-11-14T22:13:20.000Z","written_at":"2023-11-14T22:13:25.500Z","expires_at":""}`

// TestDecode: every field by name, so that a record written by an earlier build
// is read by a later one.
func TestDecode(t *testing.T) {
	want := Record{
		Format: 1, Election: "orders", Epoch: 3, Revision: 7, Holder: "a", Session: "a1", WriteID: "w7", State: Held,
		ArbiterLease: 30 * time.Second, HeartbeatLease: 1500 * time.Millisecond,
		Addresses: Addresses{Peer: "10.0.0.1:7400"}, AcquiredAt: 1_700_000_000_000, WrittenAt: 1_700_000_005_500,
	}
	want.Electors = want.Electors.With(Elector{"a", "id-a"}).With(Elector{"b", "id-b"})
	got, found, err := Decode([]byte(storedRecord))
	if err != nil || found != FoundRecord || got != want {
		t.Errorf("found %d, %v: %+v", found, err, got)
	}
	text, err := Encode(&got)
	if err != nil || string(text) != storedRecord {
		t.Errorf("encoded again, %v:\n%s\n%s", err, text, storedRecord)
	}
}

// TestDecodeRefuses: what cannot be read is corrupt, with a reason, and never a
// record, least of all a vacant one; a newer format is told apart.
func TestDecodeRefuses(t *testing.T) {
	change := func(old, with string) string {
		if !strings.Contains(storedRecord, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(storedRecord, old, with, 1)
	}
	elector := `{"node":"b","identity":"id-b"}`
	var ten []string
	for i := range MaxElectors + 1 {
		ten = append(ten, fmt.Sprintf(`{"node":"n%d","identity":"i"}`, i))
	}
	for name, c := range map[string]struct {
		text  string
		found Found
		says  string
	}{
		"empty":               {"", FoundCorrupt, "not a JSON object"},
		"a proxy's page":      {"<html>504</html>", FoundCorrupt, "not a JSON object"},
		"cut off":             {storedRecord[:100], FoundCorrupt, "not a JSON object"},
		"twice":               {storedRecord + storedRecord, FoundCorrupt, "not a JSON object"},
		"null":                {"null", FoundCorrupt, "no record format"},
		"empty object":        {"{}", FoundCorrupt, "no record format"},
		"array":               {"[1]", FoundCorrupt, "not a JSON object"},
		"format a word":       {change(`"format":1`, `"format":"1"`), FoundCorrupt, "no record format"},
		"format 0":            {change(`"format":1`, `"format":0`), FoundCorrupt, "format 0"},
		"format 2":            {change(`"format":1`, `"format":2`), FoundNewer, "format 2"},
		"format 2, all else":  {`{"format":2,"state":7}`, FoundNewer, "format 2"},
		"epoch 0":             {change(`"lease_epoch":3`, `"lease_epoch":0`), FoundCorrupt, "lease_epoch 0"},
		"epoch below 0":       {change(`"lease_epoch":3`, `"lease_epoch":-3`), FoundCorrupt, "lease_epoch"},
		"revision 0":          {change(`"revision":7`, `"revision":0`), FoundCorrupt, "revision 0"},
		"no lease":            {change(`"arbiter_lease_ms":30000`, `"arbiter_lease_ms":0`), FoundCorrupt, "arbiter_lease_ms 0"},
		"no heartbeat lease":  {change(`"heartbeat_lease_ms":1500`, `"heartbeat_lease_ms":-1`), FoundCorrupt, "heartbeat_lease_ms -1"},
		"lease overflows":     {change(`:30000`, `:9223372036854775807`), FoundCorrupt, "arbiter_lease_ms"},
		"beat lease too long": {change(`:1500`, `:315360000001`), FoundCorrupt, "heartbeat_lease_ms"},
		"state unknown":       {change(`"held"`, `"leased"`), FoundCorrupt, `state "leased"`},
		"no state":            {change(`"state":"held",`, ``), FoundCorrupt, `state ""`},
		"held by nobody":      {change(`"holder":"a"`, `"holder":""`), FoundCorrupt, "held by nobody"},
		"held by no session":  {change(`"session":"a1"`, `"session":""`), FoundCorrupt, "held by nobody"},
		"vacant, of one":      {change(`"held"`, `"vacant"`), FoundCorrupt, "vacant, yet"},
		"elector twice":       {change(elector, elector+","+elector), FoundCorrupt, `elector "b"`},
		"one node, two ids":   {change(elector, elector+`,{"node":"b","identity":"x"}`), FoundCorrupt, `elector "b"`},
		"elector unnamed":     {change(`"node":"b"`, `"node":""`), FoundCorrupt, `elector ""`},
		"elector nobody":      {change(`"identity":"id-b"`, `"identity":""`), FoundCorrupt, `elector "b"`},
		"other case":          {change(`"state"`, `"STATE":"vacant","state"`), FoundCorrupt, `member "STATE"`},
		"electors twice":      {change(`"arbiter_lease_ms"`, `"Electors":[],"arbiter_lease_ms"`), FoundCorrupt, `member "Electors"`},
		"ten electors":        {change(elector, strings.Join(ten, ",")), FoundCorrupt, "11 electors"},
		"no time":             {change(`"2023-11-14T22:13:20.000Z"`, `"yesterday"`), FoundCorrupt, "yesterday"},
	} {
		t.Run(name, func(t *testing.T) {
			r, found, err := Decode([]byte(c.text))
			if found != c.found || err == nil || r != (Record{}) {
				t.Fatalf("found %d, %v, %+v", found, err, r)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("says %q, not %q", err, c.says)
			}
		})
	}
}

// FuzzDecode: no bytes make Decode panic; what it accepts is a record that
// survives being written and read, or is too large; everything else has a reason.
func FuzzDecode(f *testing.F) {
	seeds, err := filepath.Glob("testdata/records/*.json")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, seed := range seeds {
		text, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, found, err := Decode(text)
		if found != FoundRecord {
			if err == nil || r != (Record{}) || found != FoundCorrupt && found != FoundNewer {
				t.Fatalf("found %d, %v, %+v", found, err, r)
			}
			return
		}
		if err != nil || r.Position() == (Position{}) || r.ArbiterLease <= 0 || r.HeartbeatLease <= 0 {
			t.Fatalf("%v: %+v", err, r)
		}
		if (r.State == Held) != (r.Session != "") {
			t.Fatalf("state %d of session %q", r.State, r.Session)
		}
		again, err := Encode(&r)
		if err != nil {
			return // too large: escaping may make it longer
		}
		got, found, err := Decode(again)
		if err != nil || found != FoundRecord {
			t.Fatalf("found %d, %v in\n%s\nwhich was\n%s", found, err, again, text)
		}
		if got != r {
			t.Fatalf("changed:\n%+v\n%+v", r, got)
		}
	})
}
