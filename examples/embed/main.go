// Command embed runs an election inside a program, without the daemon: the
// arbiter as a library, the node, and the guard that is asked before every act.
//
//	go run ./examples/embed -dir /tmp/embed -name a
//	go run ./examples/embed -dir /tmp/embed -name b      # in another terminal
//
// One of the two counts; end it with Ctrl-C and the other one goes on, an epoch
// higher.
package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

func main() {
	dir := flag.String("dir", "", "folder that all programs of the election share")
	name := flag.String("name", "", "name of this program, unique among them")
	lease := flag.Duration("lease", 3*time.Second, "time bought by a write to the arbiter")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *dir, *name, *lease); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, name string, lease time.Duration) error {
	if dir == "" || name == "" {
		return fmt.Errorf("give -dir and -name")
	}
	arbiter, err := file.New(ctx, file.Config{Dir: filepath.Join(dir, "records")})
	if err != nil {
		return err
	}
	defer arbiter.Close()
	floor := floorFile(filepath.Join(dir, name+".floor"))
	epoch, known, err := floor.load()
	if err != nil {
		return err
	}
	n, err := node.Start(node.Config{
		Core: core.Config{
			// Identity and session are random here: this program never takes
			// back the lease of its own past, it waits it out like any other.
			Election: "count", Node: name, Identity: rand.Text(), Session: rand.Text(),
			ArbiterLease: lease, HeartbeatInterval: lease / 6, HeartbeatLease: lease / 2,
			FenceMargin: lease / 6, ArbiterTimeout: lease / 4,
		},
		Standing: core.Standing{Healthy: true, Priority: 1},
		Floor:    epoch, FloorKnown: known,
		Arbiter: arbiter, Disk: floor,
	})
	if err != nil {
		return err
	}
	work(ctx, n.Guard(), name)
	release, cancel := context.WithTimeout(context.Background(), lease)
	defer cancel()
	return n.Stop(release)
}

// work acts while the guard is open. The epoch goes along with every act, so
// that what is written to can refuse an older one.
func work(ctx context.Context, guard *node.Guard, name string) {
	for count := 0; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		err := guard.Do(func(epoch core.Epoch) error {
			count++
			fmt.Printf("%s counts %d at epoch %d\n", name, count, epoch)
			return nil
		})
		if err != nil {
			count = 0
		}
	}
}

// floorFile keeps the highest epoch ever seen; a daemon's data directory does
// the same with more care.
type floorFile string

func (f floorFile) load() (core.Epoch, bool, error) {
	text, err := os.ReadFile(string(f))
	if os.IsNotExist(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	epoch, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return core.Epoch(epoch), err == nil, err
}

// SaveFloor implements node.Disk.
func (f floorFile) SaveFloor(epoch core.Epoch) error {
	next := string(f) + ".next"
	file, err := os.OpenFile(next, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := fmt.Fprintln(file, epoch); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return os.Rename(next, string(f))
}
