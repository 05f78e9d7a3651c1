package datadir

import (
	"os"
	"path/filepath"
	"testing"
)

// Check says of a directory what Open says of it, and leaves it as it is.
func TestCheckSaysWhatOpenDoes(t *testing.T) {
	for name, prepare := range map[string]func(path string) error{
		"missing":      func(string) error { return nil },
		"empty":        func(path string) error { return os.Mkdir(path, 0o755) },
		"a file":       func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"below a file": func(path string) error { return os.WriteFile(filepath.Dir(path), nil, 0o600) },
		"somebody's": func(path string) error {
			if err := os.Mkdir(path, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(path, "letter"), nil, 0o600)
		},
		"another node's": func(path string) error {
			d, err := Open(path, "db-b", Random)
			if err != nil {
				return err
			}
			return d.Close()
		},
		"damaged": func(path string) error {
			if err := os.Mkdir(path, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(path, "identity"), []byte("x"), 0o600)
		},
		"own": func(path string) error {
			d, err := Open(path, "db-a", Random)
			if err != nil {
				return err
			}
			return d.Close()
		},
	} {
		path := filepath.Join(t.TempDir(), "above", "data")
		if name != "below a file" {
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := prepare(path); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before, missing := os.Stat(path)
		checked := Check(path, "db-a")
		if after, err := os.Stat(path); (missing == nil) != (err == nil) || missing == nil && after.Mode() != before.Mode() {
			t.Errorf("%s: Check has changed it", name)
		}
		d, opened := Open(path, "db-a", Random)
		if opened == nil {
			if err := Check(path, "db-a"); err != nil {
				t.Errorf("%s: while it is open, Check says %v", name, err)
			}
			d.Close()
		}
		if (checked == nil) != (opened == nil) || checked != nil && checked.Error() != opened.Error() {
			t.Errorf("%s:\nCheck says %v\nOpen says  %v", name, checked, opened)
		}
	}
}
