package gcs

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"cloud.google.com/go/auth"

	"github.com/electd/electd/core"
)

// keeper fetches tokens ahead of need, so that a lease's deadline never pays for
// one: a healthy election writes nothing for days.
type keeper struct {
	end     context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	status core.Credentials
}

// How often the token is looked at: usually, and when its end is near or it could
// not be had. The library renews it in the background in the last minutes of its
// life.
const (
	keepEvery   = time.Minute
	keepClosely = 10 * time.Second
	near        = 5 * time.Minute
)

// keep starts a keeper; without credentials it has nothing to do.
func keep(c Config, found *auth.Credentials) *keeper {
	ctx, end := context.WithCancel(context.Background())
	k := &keeper{end: end}
	if found == nil {
		return k
	}
	k.status = core.Credentials{Source: source(c), ID: account(found)}
	k.running.Go(func() {
		for {
			pause := k.look(ctx, found)
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	})
	return k
}

// look asks for the token and returns when to do so again. The next request that
// needs one says what is wrong by itself.
func (k *keeper) look(ctx context.Context, found *auth.Credentials) (again time.Duration) {
	token, err := found.Token(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			k.status.Problem = diagnoseSilence(err).answer
		}
		return keepClosely
	}
	k.status.Problem, k.status.Expires = "", token.Expiry
	if !token.Expiry.IsZero() && time.Until(token.Expiry) < near {
		return keepClosely
	}
	return keepEvery
}

func (k *keeper) close() {
	k.end()
	k.running.Wait()
}

func source(c Config) string {
	if c.CredentialsFile != "" {
		return "credentials_file " + c.CredentialsFile
	}
	return "application default credentials"
}

// account names whose credentials they are, where they say so.
func account(found *auth.Credentials) string {
	var content struct {
		ClientEmail string `json:"client_email"`
	}
	_ = json.Unmarshal(found.JSON(), &content) // there is none on Google's own machines
	return content.ClientEmail
}

var _ core.Reporter = (*Arbiter)(nil)

// Report says whose credentials are in use and until when the token of now lasts.
// A problem is a token that could not be had.
func (a *Arbiter) Report(context.Context) (core.ArbiterReport, error) {
	a.keeper.mu.Lock()
	defer a.keeper.mu.Unlock()
	r := core.ArbiterReport{Credentials: a.keeper.status}
	if c := r.Credentials; c.Problem != "" {
		r.Problems = []string{"gcs: no token from " + c.Source + ": " + c.Problem + "; check the credentials, whether the account still exists, and this machine's clock"}
	}
	return r, nil
}
