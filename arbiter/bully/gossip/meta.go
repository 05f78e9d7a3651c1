package gossip

import "encoding/json"

// Meta is what every node tells about itself. It fits into the 512 bytes that
// memberlist has for it.
type Meta struct {
	Suitability int    `json:"s,omitempty"`
	Votes       string `json:"v,omitempty"` // host:port where it votes; empty: it does not
}

func (m Meta) encode() []byte {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // a string and an integer: cannot fail
	}
	return b
}

func decodeMeta(b []byte) (m Meta) {
	_ = json.Unmarshal(b, &m) // nothing decides on it: what cannot be read ranks lowest
	return m
}
