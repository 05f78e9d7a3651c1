package client

import "time"

// moment is an instant by two clocks. The monotonic one stands still while the
// machine is suspended, the wall clock may be set back; of what they say has
// passed the larger counts.
type moment struct {
	at   time.Time
	wall int64 // Unix nanoseconds
}

func now() moment {
	at := time.Now()
	return moment{at, at.UnixNano()}
}

func (m moment) since() time.Duration {
	at := time.Now()
	return max(at.Sub(m.at), time.Duration(at.UnixNano()-m.wall))
}
