package watchdog

import "encoding/binary"

// order is what electd may tell a running watchdog.
type order byte

const (
	setDeadline order = 'd' // value: the instant of the kill; may be sooner than the last
	stopProgram order = 's' // value: the instant by which it is killed if it has not stopped
	sendSignal  order = 'n' // value: the signal's number, for the program alone
)

// frameSize is small enough for a pipe to take a frame whole or not at all.
const frameSize = 9

type frame [frameSize]byte

func newFrame(o order, value int64) frame {
	f := frame{byte(o)}
	binary.BigEndian.PutUint64(f[1:], uint64(value))
	return f
}

func (f *frame) order() order { return order(f[0]) }
func (f *frame) value() int64 { return int64(binary.BigEndian.Uint64(f[1:])) }
