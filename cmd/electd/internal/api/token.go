package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
)

// minToken is how short a token may be, in characters.
const minToken = 16

// token is the secret that lets a TCP client change things, as its file holds it
// now: a file that changes is read anew, and one that cannot be read lets nobody
// in.
type token struct {
	log hclog.Logger

	mu    sync.Mutex
	file  string // empty: there is none
	stamp stamp
	hash  [sha256.Size]byte
	valid bool
}

// stamp tells versions of a file apart.
type stamp struct {
	size    int64
	changed time.Time
	exists  bool
}

func stampOf(file string) stamp {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime(), true}
}

// use reads the token from a file, now and whenever the file changes.
func (t *token) use(file string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if file == "" {
		t.file, t.valid = "", false
		return nil
	}
	stamp := stampOf(file)
	hash, err := readToken(file)
	if err != nil {
		return err
	}
	t.file, t.stamp, t.hash, t.valid = file, stamp, hash, true
	return nil
}

func readToken(file string) ([sha256.Size]byte, error) {
	text, err := readFile("token_file", file)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	secret := strings.TrimSpace(string(text))
	if len(secret) < minToken {
		return [sha256.Size]byte{}, &core.AttributeError{
			Attribute: "token_file", Problem: "is too short",
			Err:    fmt.Errorf("%s: a token has at least %d characters", file, minToken),
			Advice: "write a longer one, from a random source",
		}
	}
	return sha256.Sum256([]byte(secret)), nil
}

// is reports whether a client has shown the token.
func (t *token) is(shown string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == "" {
		return false
	}
	if now := stampOf(t.file); now != t.stamp {
		t.reread(now)
	}
	hash := sha256.Sum256([]byte(shown))
	return t.valid && subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1
}

func (t *token) reread(now stamp) {
	hash, err := readToken(t.file)
	t.stamp, t.hash, t.valid = now, hash, err == nil
	if err != nil {
		t.log.Error("the API's token cannot be read any more: nobody is let in by it", "error", err)
		return
	}
	t.log.Info("the API's token has changed", "file", t.file)
}
