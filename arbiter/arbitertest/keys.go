package arbitertest

import (
	"bytes"

	"github.com/electd/electd/core"
)

// keysIsolated writes keys that are nearly alike, and then one of them again.
func keysIsolated(x *exam) {
	a, b := x.open(), x.open()
	var keys []string
	for _, key := range []string{
		"orders/lease.json", "Orders/lease.json", "orders/Lease.json", "orders/lease.jso", "orders/lease.json2",
		"orders-2/lease.json", "orders.2/lease.json", "orders%2flease.json", "orders%252flease.json",
		"or ders/lease.json", "or+ders/lease.json", "or%20ders/lease.json", "örders/lease.json",
		"other/orders/lease.json", "orders/nodes.json",
	} {
		keys = append(keys, x.h.Prefix+x.check+"/"+key)
	}
	records, versions := make([][]byte, len(keys)), make([]core.Version, len(keys))
	for i, key := range keys {
		if s := x.read(b, key); s.Version != "" {
			x.failf("%q was never written, and reads as %.80q", key, s.Record)
			continue
		}
		records[i] = body()
		versions[i] = x.write(a, key, "", records[i])
	}
	if len(x.told()) > 0 {
		return
	}
	records[0] = body()
	versions[0] = x.write(a, keys[0], versions[0], records[0])
	for i, key := range keys {
		if s := x.read(b, key); !bytes.Equal(s.Record, records[i]) || s.Version != versions[i] {
			x.failf("%q holds %.80q at version %q, but %.80q was stored there at %q", key, s.Record, s.Version, records[i], versions[i])
		}
	}
}
