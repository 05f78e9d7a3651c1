package datadir

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// FuzzFiles checks that whatever is in a file of the data directory, with a
// checksum that fits or without, is a value that stays the same when it is saved,
// or an error that names the file and says what to do.
func FuzzFiles(f *testing.F) {
	for _, seed := range []string{
		`{"format":1,"kind":"floor","of":"orders","floor":41}`,
		`{"format":1,"kind":"pause","of":"orders","until":"2030-01-02T03:04:05.006Z"}`,
		`{"format":1,"kind":"sessions","sessions":[{"id":"s1","identity":"i","boot":"b"}]}`,
		`{"format":1,"kind":"identity","node":"db-a","identity":"i"}`,
		`{"format":2,"kind":"floor","of":"orders","floor":41}`,
		`{"format":1,"kind":"floor","of":"invoices","floor":41}`,
		`{"kind":"floor","of":"orders","floor":41}`,
		`{"format":1,"kind":"floor","of":"orders"}`,
		"null", "", "\n", "{}\ncrc32 00000000\n",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, body []byte, stamped bool) {
		if stamped {
			body = append(bytes.Clone(body), '\n')
			body = fmt.Appendf(body, "crc32 %08x\n", crc32.ChecksumIEEE(body))
		}
		kept[floorFile](t, dir, "floor", "orders", body)
		kept[pauseFile](t, dir, "pause", "orders", body)
		kept[sessionsFile](t, dir, "sessions", "", body)
		kept[identityFile](t, dir, "identity", "", body)
	})
}

// kept checks what is read of a file of one kind.
func kept[T any](t *testing.T, dir, kind, of string, text []byte) {
	path := filepath.Join(dir, kind)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var got, again, none T
	ok, err := restore(path, kind, of, "restore it", &got)
	if err != nil {
		var corrupt *CorruptError
		if ok || !errors.As(err, &corrupt) || corrupt.Path != path || corrupt.Advice == "" || !strings.Contains(err.Error(), path) {
			t.Fatalf("%s with %q: %v", kind, text, err)
		}
		if !reflect.DeepEqual(got, none) {
			t.Fatalf("%s with %q is refused, and read as %+v", kind, text, got)
		}
		return
	}
	if !ok {
		t.Fatalf("%s with %q is taken for a file that is not there", kind, text)
	}
	if err := save(path, got); err != nil {
		t.Fatalf("%+v cannot be saved: %v", got, err)
	}
	if ok, err := restore(path, kind, of, "restore it", &again); !ok || err != nil || !reflect.DeepEqual(got, again) {
		t.Fatalf("%+v became %+v, %t, %v", got, again, ok, err)
	}
}
