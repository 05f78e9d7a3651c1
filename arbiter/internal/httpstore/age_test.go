package httpstore

import (
	"testing"
	"time"
)

func TestAgeIsNeverMoreThanTheTruth(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1_800_000_000+int64(s), 0) }
	for _, c := range []struct {
		name           string
		date, modified time.Time
		skew, want     time.Duration
	}{
		{"old", at(100), at(40), time.Second, 57 * time.Second},
		{"no skew", at(100), at(40), 0, 58 * time.Second},
		{"fresh", at(100), at(99), time.Second, 0},
		{"within the resolution", at(102), at(100), 0, 0},
		{"from the future", at(100), at(160), time.Second, 0},
		{"no date", time.Time{}, at(40), time.Second, 0},
		{"no last-modified", at(100), time.Time{}, time.Second, 0},
	} {
		if got := Age(c.date, c.modified, c.skew); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// Truncating both dates to seconds must never add to the age.
	for stored := time.Duration(0); stored < time.Second; stored += 100 * time.Millisecond {
		for truth := time.Duration(0); truth < 5*time.Second; truth += 100 * time.Millisecond {
			written := at(0).Add(stored)
			got := Age(written.Add(truth).Truncate(time.Second), written.Truncate(time.Second), 0)
			if got > truth {
				t.Fatalf("stored %v into a second, %v ago: age %v", stored, truth, got)
			}
		}
	}
}
