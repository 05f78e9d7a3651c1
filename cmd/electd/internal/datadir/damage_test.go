package datadir

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whatever happens to a byte of a file, it is never taken for another value or
// for a file that is not there.
func TestDamagedFilesAreErrors(t *testing.T) {
	d := open(t, t.TempDir())
	e := election(t, d, "orders")
	if err := errors.Join(e.SaveFloor(41), e.Pause(time.Now().Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	d.Close()
	for _, path := range []string{e.file("floor"), e.file("pause"), filepath.Join(d.Path(), "sessions"), filepath.Join(d.Path(), "identity")} {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damaged := [][]byte{{}, []byte("\n"), []byte("0\n"), make([]byte, len(whole)), append(bytes.Clone(whole), 'x'), append(bytes.Clone(whole), whole...)}
		for i := range whole {
			flipped := bytes.Clone(whole)
			flipped[i] ^= 1
			damaged = append(damaged, whole[:i], flipped)
		}
		for _, text := range damaged {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			err := openOrders(d.Path())
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || corrupt.Path != path {
				t.Fatalf("%s with %q: %v", path, text, err)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := openOrders(d.Path()); err != nil {
			t.Fatalf("%s, restored: %v", path, err)
		}
	}
}

func TestFilesOfOthersAreErrors(t *testing.T) {
	d := open(t, t.TempDir())
	e := election(t, d, "orders")
	for name, file := range map[string]floorFile{
		"a newer format":     {stamped{format + 1, "floor", "orders"}, 41},
		"no format":          {stamped{0, "floor", "orders"}, 41},
		"another election's": {stamped{format, "floor", "invoices"}, 41},
		"another kind":       {stamped{format, "pause", "orders"}, 41},
	} {
		if err := save(e.file("floor"), file); err != nil {
			t.Fatal(err)
		}
		d.Close()
		var corrupt *CorruptError
		if err := openOrders(d.Path()); !errors.As(err, &corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// openOrders opens a directory and the election in it, and returns what went
// wrong with either.
func openOrders(path string) error {
	d, err := Open(path, "db-a", Random)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = d.Election("orders")
	return err
}
