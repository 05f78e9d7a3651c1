package httpstore

import "time"

// Resolution is that of both Date and Last-Modified: HTTP dates carry seconds.
const Resolution = time.Second

// Age returns how long ago an object was stored, by the store's own clock, and
// never more than the truth: a challenger waits a lease less the age. Both dates
// may be off by their resolution, and two of the store's servers may have written
// them, whose clocks differ by skew. Zero where unknown.
func Age(date, lastModified time.Time, skew time.Duration) time.Duration {
	if date.IsZero() || lastModified.IsZero() {
		return 0
	}
	return max(0, date.Sub(lastModified)-2*Resolution-skew)
}
