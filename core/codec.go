package core

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxRecordBytes bounds an encoded record (design 3.2).
const MaxRecordBytes = 4096

// body is the record's JSON form. Times are RFC 3339 in UTC, leases in
// milliseconds.
type body struct {
	Format           int           `json:"format"`
	Election         string        `json:"election"`
	LeaseEpoch       Epoch         `json:"lease_epoch"`
	Revision         Revision      `json:"revision"`
	Holder           string        `json:"holder"`
	Session          string        `json:"session"`
	WriteID          string        `json:"write_id"`
	State            string        `json:"state"`
	Successor        string        `json:"successor"`
	Electors         []bodyElector `json:"electors"`
	ArbiterLeaseMS   int64         `json:"arbiter_lease_ms"`
	HeartbeatLeaseMS int64         `json:"heartbeat_lease_ms"`
	Addresses        bodyAddresses `json:"addresses"`
	AcquiredAt       string        `json:"acquired_at"`
	WrittenAt        string        `json:"written_at"`
	ExpiresAt        string        `json:"expires_at"`
}

type bodyElector struct {
	Node     string `json:"node"`
	Identity string `json:"identity"`
}

type bodyAddresses struct {
	Peer string `json:"peer"`
	API  string `json:"api"`
}

// members are the names of body's members; everything else is unknown.
var members = []string{
	"format", "election", "lease_epoch", "revision", "holder", "session", "write_id", "state", "successor",
	"electors", "arbiter_lease_ms", "heartbeat_lease_ms", "addresses", "acquired_at", "written_at", "expires_at",
}

const (
	stateVacant = "vacant"
	stateHeld   = "held"
)

// Encode returns the record's JSON form, members it does not know included. It
// fails only if the result is larger than MaxRecordBytes.
func Encode(r *Record) ([]byte, error) {
	b := body{
		Format: r.Format, Election: r.Election, LeaseEpoch: r.Epoch, Revision: r.Revision,
		Holder: r.Holder, Session: r.Session, WriteID: r.WriteID, State: stateVacant, Successor: r.Successor,
		Electors:       []bodyElector{},
		ArbiterLeaseMS: r.ArbiterLease.Milliseconds(), HeartbeatLeaseMS: r.HeartbeatLease.Milliseconds(),
		Addresses:  bodyAddresses(r.Addresses),
		AcquiredAt: encodeTime(r.AcquiredAt), WrittenAt: encodeTime(r.WrittenAt), ExpiresAt: encodeTime(r.ExpiresAt),
	}
	if r.State == Held {
		b.State = stateHeld
	}
	for i := range r.Electors.Len {
		b.Electors = append(b.Electors, bodyElector(r.Electors.List[i]))
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("encode lease record: %w", err)
	}
	if inner := strings.TrimSuffix(strings.TrimPrefix(r.Unknown, "{"), "}"); inner != "" {
		text = append(text[:len(text)-1], ","+inner+"}"...)
	}
	if len(text) > MaxRecordBytes {
		return nil, fmt.Errorf("encode lease record: %d bytes, at most %d are allowed: shorten node ids or addresses, or remove unknown members", len(text), MaxRecordBytes)
	}
	return text, nil
}

// Decode parses a stored record. Found says what it is: a record, one of a newer
// format, or corrupt; the error then says what is wrong with it.
func Decode(text []byte) (Record, Found, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return Record{}, FoundCorrupt, fmt.Errorf("not a JSON object: %w", err)
	}
	var version struct {
		Format *int `json:"format"`
	}
	if err := json.Unmarshal(text, &version); err != nil || version.Format == nil {
		return Record{}, FoundCorrupt, fmt.Errorf("no record format")
	}
	if *version.Format > Format {
		return Record{}, FoundNewer, fmt.Errorf("format %d, this version understands up to %d", *version.Format, Format)
	}
	var b body
	if err := json.Unmarshal(text, &b); err != nil {
		return Record{}, FoundCorrupt, err
	}
	r, err := b.record()
	if err != nil {
		return Record{}, FoundCorrupt, err
	}
	for _, name := range members {
		delete(all, name)
	}
	for name := range all {
		if i := slices.IndexFunc(members, func(m string) bool { return strings.EqualFold(m, name) }); i >= 0 {
			return Record{}, FoundCorrupt, fmt.Errorf("member %q: differs from %q in case only", name, members[i])
		}
	}
	if len(all) > 0 {
		unknown, err := json.Marshal(all)
		if err != nil {
			return Record{}, FoundCorrupt, err
		}
		r.Unknown = string(unknown)
	}
	return r, FoundRecord, nil
}

// record checks what parsed and returns it as a Record.
func (b *body) record() (Record, error) {
	r := Record{
		Format: b.Format, Election: b.Election, Epoch: b.LeaseEpoch, Revision: b.Revision,
		Holder: b.Holder, Session: b.Session, WriteID: b.WriteID, Successor: b.Successor,
		ArbiterLease: time.Duration(b.ArbiterLeaseMS) * time.Millisecond, HeartbeatLease: time.Duration(b.HeartbeatLeaseMS) * time.Millisecond,
		Addresses: Addresses(b.Addresses),
	}
	switch {
	case b.Format < 1:
		return r, fmt.Errorf("format %d", b.Format)
	case b.LeaseEpoch == 0 || b.Revision == 0:
		return r, fmt.Errorf("lease_epoch %d, revision %d: both start at 1", b.LeaseEpoch, b.Revision)
	case b.ArbiterLeaseMS <= 0 || b.HeartbeatLeaseMS <= 0 || b.ArbiterLeaseMS > maxLeaseMS || b.HeartbeatLeaseMS > maxLeaseMS:
		return r, fmt.Errorf("arbiter_lease_ms %d, heartbeat_lease_ms %d: must be from 1 to %d", b.ArbiterLeaseMS, b.HeartbeatLeaseMS, maxLeaseMS)
	case len(b.Electors) > MaxElectors:
		return r, fmt.Errorf("%d electors, at most %d are possible", len(b.Electors), MaxElectors)
	}
	switch b.State {
	case stateHeld:
		r.State = Held
		if b.Holder == "" || b.Session == "" {
			return r, fmt.Errorf("held by nobody")
		}
	case stateVacant:
		r.State = Vacant
		if b.Session != "" {
			return r, fmt.Errorf("vacant, yet of session %q", b.Session)
		}
	default:
		return r, fmt.Errorf("state %q", b.State)
	}
	for _, e := range b.Electors {
		if e.Node == "" || e.Identity == "" || r.Electors.Identity(e.Node) != "" {
			return r, fmt.Errorf("elector %q named twice, or without a name or an identity", e.Node)
		}
		r.Electors = r.Electors.With(Elector(e))
	}
	var err error
	for _, t := range []struct {
		text string
		to   *int64
	}{{b.AcquiredAt, &r.AcquiredAt}, {b.WrittenAt, &r.WrittenAt}, {b.ExpiresAt, &r.ExpiresAt}} {
		if *t.to, err = decodeTime(t.text); err != nil {
			return r, err
		}
	}
	return r, nil
}

// maxLeaseMS keeps durations read from a store far from overflow: ten years.
const maxLeaseMS = 10 * 365 * 24 * 3600 * 1000

func encodeTime(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

func decodeTime(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, err
	}
	return at.UnixMilli(), nil
}
