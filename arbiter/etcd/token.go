package etcd

import (
	"context"
	"errors"
	"sync"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/credentials"
)

// token is what a cluster gives for a user name and a password, to be sent with
// every call. It expires while a healthy pair asks nothing for hours. The
// client's own handling of it does not fit: it asks the cluster before it is
// made, and to get a new token it sends the expired one, which etcd 3.4 refuses.
type token struct {
	username, password string // empty: the cluster demands no user

	mu    sync.Mutex
	value string
}

var _ credentials.PerRPCCredentials = (*token)(nil)

type withoutToken struct{}

// GetRequestMetadata adds the token to a call.
func (t *token) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	value := t.current()
	if value == "" || ctx.Value(withoutToken{}) != nil {
		return nil, nil
	}
	return map[string]string{rpctypes.TokenFieldNameGRPC: value}, nil
}

// RequireTransportSecurity leaves it to the endpoints whether there is TLS.
func (t *token) RequireTransportSecurity() bool { return false }

func (t *token) current() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.value
}

// renew asks the cluster for a token in place of the one that was used.
func (t *token) renew(ctx context.Context, client *clientv3.Client, used string) error {
	if t.username == "" || t.current() != used { // none is needed, or another call was faster
		return nil
	}
	answer, err := client.Authenticate(context.WithValue(ctx, withoutToken{}, true), t.username, t.password)
	if errors.Is(rpctypes.Error(err), rpctypes.ErrAuthNotEnabled) {
		return nil
	}
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.value = answer.Token
	return nil
}

// withToken makes a call, first with the token there is. A call refused for its
// token was certainly not carried out and is made once more with a new one.
func withToken[T any](ctx context.Context, a *Arbiter, call func() (T, error)) (T, error) {
	used := a.token.current()
	if used == "" {
		if err := a.token.renew(ctx, a.client, used); err != nil {
			var none T
			return none, &unsent{err}
		}
		used = a.token.current()
	}
	answer, err := call()
	if a.token.username == "" || !refusedToken(err) {
		return answer, err
	}
	if err := a.token.renew(ctx, a.client, used); err != nil {
		return answer, &unsent{err}
	}
	return call()
}

func refusedToken(err error) bool {
	named := rpctypes.Error(err)
	return errors.Is(named, rpctypes.ErrInvalidAuthToken) || errors.Is(named, rpctypes.ErrAuthOldRevision) || errors.Is(named, rpctypes.ErrUserEmpty)
}

// unsent is the error of a call that was not made for want of a token.
type unsent struct{ err error }

func (u *unsent) Error() string { return "no token: " + u.err.Error() }
func (u *unsent) Unwrap() error { return u.err }
