package watchdog

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

// Spec is what a watchdog is to run. It starts it when the first deadline comes.
type Spec struct {
	Election string
	Epoch    uint64
	Command  []string // program and arguments; the program with a slash
	Dir      string   // working folder; empty: electd's
	Env      []string // the whole environment, NAME=value

	Lock     string        // path of the election's lock file
	LockWait time.Duration // how long to wait for an earlier watchdog's group to be gone

	Warning     time.Duration  // StopSignal this long before the deadline; 0: none
	StopSignal  syscall.Signal // asks the program to stop
	StopTimeout time.Duration  // from StopSignal to SIGKILL where electd does not say
	Allowance   time.Duration  // a watchdog that has not killed this long after it should have is killed itself; 0: never

	Foreground bool // standard input is a terminal that the program shall control
	NoCgroup   bool // do not make a control group even where it is possible
}

// maxSpec bounds the first message; a command line and an environment fit in
// 2 MiB on Linux by default.
const maxSpec = 16 << 20

func writeSpec(w io.Writer, s Spec) error {
	var body bytes.Buffer
	// Not JSON: arguments and environment are bytes, not always UTF-8.
	if err := gob.NewEncoder(&body).Encode(s); err != nil {
		return err
	}
	if body.Len() > maxSpec {
		return fmt.Errorf("command and environment take %d bytes, more than %d", body.Len(), maxSpec)
	}
	_, err := w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(body.Len())), body.Bytes()...))
	return err
}

func readSpec(r io.Reader) (Spec, error) {
	var s Spec
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return s, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxSpec {
		return s, errors.New("the first message is no specification")
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return s, err
	}
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&s); err != nil {
		return s, err
	}
	if len(s.Command) == 0 {
		return s, errors.New("no command given")
	}
	return s, nil
}
