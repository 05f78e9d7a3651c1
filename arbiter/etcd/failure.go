package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/status"

	"github.com/electd/electd/core"
)

// refusals are what a member answers before a write enters the log, each with
// its code: such a write was certainly not applied. What is not among them, a
// change of leader or a timeout above all, may have entered it.
var refusals = []struct {
	is     error
	code   error
	advice string
}{
	{rpctypes.ErrPermissionDenied, core.ErrDenied, "; grant the user to read and write the keys under prefix"},
	{rpctypes.ErrAuthFailed, core.ErrDenied, "; check username and password"},
	{rpctypes.ErrUserEmpty, core.ErrDenied, "; the cluster demands a user: set username and password"},
	{rpctypes.ErrInvalidAuthToken, core.ErrDenied, "; the cluster does not accept its own token any more"},
	{rpctypes.ErrAuthOldRevision, core.ErrUnavailable, "; users or roles were just changed"},
	{rpctypes.ErrUserNotFound, core.ErrDenied, "; check username"},
	{rpctypes.ErrInvalidAuthMgmt, core.ErrDenied, ""},
	{rpctypes.ErrTooManyRequests, core.ErrThrottled, ""},
	{rpctypes.ErrNoSpace, core.ErrUnavailable, "; compact and defragment the cluster, then disarm its alarm"},
	{rpctypes.ErrRequestTooLarge, core.ErrInvalid, "; raise the cluster's --max-request-bytes"},
	{rpctypes.ErrEmptyKey, core.ErrInvalid, ""},
	{rpctypes.ErrNotCapable, core.ErrUnavailable, "; the cluster is being upgraded"},
}

// writeCode classifies the error of a write; sent says whether it ever left.
func writeCode(err error, sent bool) error {
	if refused := refusal(err); refused != nil {
		return refused
	}
	var before *unsent
	if !sent || errors.As(err, &before) {
		return fmt.Errorf("%w: not sent: %w", core.ErrUnavailable, plain(err))
	}
	return fmt.Errorf("%w: %w", core.ErrUnknown, plain(err))
}

// readCode classifies the error of anything but a write.
func readCode(err error) error {
	if refused := refusal(err); refused != nil {
		return refused
	}
	return fmt.Errorf("%w: %w", core.ErrUnavailable, plain(err))
}

func refusal(err error) error {
	named := rpctypes.Error(err)
	for _, r := range refusals {
		if errors.Is(named, r.is) {
			return fmt.Errorf("%w: %w%s", r.code, plain(err), r.advice)
		}
	}
	return nil
}

// unreached are the ways in which no member is reached, by what gRPC says of them,
// and what to do; the first that fits counts. How a handshake that the other side
// does not understand ends, by EOF, a reset or a broken pipe, is chance.
var unreached = []struct{ says, advice string }{
	{"connection refused", "nobody listens there: is etcd running? check endpoints"},
	{"no such host", "check the host names in endpoints"},
	{"first record does not look like a TLS handshake", "the member speaks no TLS there: write http:// in endpoints"},
	{"certificate", "check the tls block and the host names in endpoints"},
	{"tls: ", "check the tls block"},
	{"ALPN", "it does not answer as etcd does: check endpoints"},
	{"authentication handshake failed", "does the member speak TLS there? If not, write http:// in endpoints"},
	{"server preface", notAsEtcd},
	{"broken pipe", notAsEtcd},
	{"connection reset", notAsEtcd},
}

const notAsEtcd = "it does not answer as etcd does: does the member demand https:// in endpoints, or a certificate in the tls block?"

// adviceOn returns what to do about why no member is reached; empty if nothing
// better is known than to wait.
func adviceOn(why string) string {
	for _, u := range unreached {
		if strings.Contains(why, u.says) {
			return u.advice
		}
	}
	return ""
}

// noConnection is a deadline that passed for want of a connection. It wraps what
// the client made of it.
type noConnection struct {
	why string
	err error
}

func (n *noConnection) Error() string { return n.why + " (" + n.err.Error() + ")" }
func (n *noConnection) Unwrap() error { return n.err }

// on returns err with why there was no connection, if that is what it is about.
func (w *lastWords) on(err error) error {
	text := w.text.Load()
	if text == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	// gRPC's own words around it: it is waiting for a connection, and this is what
	// became of the last one.
	_, why, found := strings.Cut(*text, "latest balancer error: ")
	if !found {
		return err
	}
	if advice := adviceOn(why); advice != "" {
		why += "; " + advice
	}
	return &noConnection{why: "no connection: " + why, err: context.DeadlineExceeded}
}

// plain drops gRPC's own words around a message.
func plain(err error) error {
	if s, ok := status.FromError(err); ok && s.Message() != "" {
		return errors.New(s.Message())
	}
	return err
}
