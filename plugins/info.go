package plugins

import "time"

// Info is what a plugin says of itself before it is configured.
type Info struct {
	Name    string // as in arbiter "<name>"
	Version string // the plugin's own
	Doc     string // one sentence: what it stores where
	SDK     string // what it is built with, for support
}

// Capabilities is what a configured arbiter can do beyond reading and swapping.
type Capabilities struct {
	Watch            bool          // it is a core.Watcher
	Probe            bool          // it is a core.Prober
	Report           bool          // it is a core.Reporter
	Age              bool          // snapshots carry Age and StoreTime
	MaxRecordBytes   int           // 0: the 64 KiB every arbiter must carry
	MinWriteInterval time.Duration // between writes to one key; 0: none
}
