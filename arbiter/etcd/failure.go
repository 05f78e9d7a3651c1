package etcd

import (
	"errors"
	"fmt"

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

// plain drops gRPC's own words around a message.
func plain(err error) error {
	if s, ok := status.FromError(err); ok && s.Message() != "" {
		return errors.New(s.Message())
	}
	return err
}
