package s3

import (
	"context"
	"errors"
	"fmt"
	"strings"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/electd/electd/core"
)

// permissions are what this node may do in the bucket.
type permissions struct {
	denied  []string // actions, in the order they were tried
	because error    // what the store said to the first of them
	stopped error    // why nothing else can be examined; nil: go on
	forget  bool     // s3:DeleteObject is allowed
}

// permissions tries every action on a key of the probe's own.
func (p *prober) permissions(ctx context.Context) permissions {
	key := p.key + ".permissions"
	may := permissions{}
	for _, action := range []struct {
		name   string
		needed bool
		try    func() error
	}{
		{"s3:PutObject", true, func() error {
			_, err := p.CompareAndSwap(ctx, core.Swap{Key: key, Record: []byte("a probe of electd; may be removed\n")})
			return err
		}},
		{"s3:GetObject", true, func() error { _, err := p.Read(ctx, key); return err }},
		{"s3:ListBucket", false, func() error { _, err := p.Read(ctx, p.key+".missing"); return err }},
		{"s3:DeleteObject", false, func() error { return p.forget(ctx, key) }},
	} {
		err := p.try(action.try)
		switch {
		case err == nil, errors.Is(err, core.ErrConflict):
			may.forget = action.name == "s3:DeleteObject"
			continue
		case !isPermission(err):
			may.stopped = err
			return may
		}
		may.denied = append(may.denied, action.name)
		if may.because == nil {
			may.because = err
		}
		if action.needed && may.stopped == nil {
			may.stopped = err
		}
	}
	return may
}

// try calls f, and once more if only this node's clock was wrong: the SDK has
// learned the store's time from the refusal.
func (p *prober) try(f func() error) error {
	p.own++
	err := f()
	if errorCode(err) == "RequestTimeTooSkewed" {
		p.own++
		err = f()
	}
	return err
}

// isPermission tells a denial of one action from a refusal of the identity.
func isPermission(err error) bool {
	return errors.Is(err, core.ErrDenied) && isDenial(errorCode(err))
}

// isDenial tells the codes of a 403 that are about an action.
func isDenial(code string) bool {
	return code == "" || strings.Contains(code, "Denied") || code == "Forbidden"
}

// errorCode is S3's code that an error carries; empty if none.
func errorCode(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// finding tells which permissions are missing, by name. Without those that an
// election needs nothing else can be proven.
func (may permissions) finding() core.Finding {
	f := core.Finding{
		Check: "permissions", Why: "An election reads and writes its record, and must tell a missing record from a forbidden one.",
		Verdict: core.Passed, Observed: "reading, writing and deleting are allowed",
	}
	names := strings.Join(may.denied, ", ")
	switch {
	case may.stopped != nil && names == "":
		f.Check, f.Why = "reachable", "An election needs the store when a leader is lost."
		f.Verdict, f.Observed, f.Advice = core.Unreachable, may.stopped.Error(), "nothing is proven either way; see what is said and probe again"
	case may.stopped != nil:
		f.Verdict, f.Observed, f.Advice = core.Unreachable, fmt.Sprintf("denied: %s; %v", names, may.because), "allow these actions on the bucket and on the keys under its prefix"
	case names == "s3:DeleteObject":
		f.Verdict, f.Observed = core.Noted, "denied: s3:DeleteObject, which an election does not need"
		f.Advice = "allow it on the probe's keys to have creation examined each time"
	case names != "":
		f.Verdict, f.Observed, f.Advice = core.Warned, fmt.Sprintf("denied: %s; %v", names, may.because), "allow these actions; without s3:ListBucket a new cluster cannot tell that there is no record yet"
	}
	return f
}

// forgetter returns what removes the probe's keys; nil if that is not allowed.
func (p *prober) forgetter(may permissions) func(context.Context, string) error {
	if !may.forget {
		return nil
	}
	return func(ctx context.Context, key string) error {
		p.own++
		return p.forget(ctx, key)
	}
}

// forget removes a key.
func (a *Arbiter) forget(ctx context.Context, key string) error {
	name, err := a.object(key)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, a.config.RequestTimeout)
	defer cancel()
	if _, err = a.client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: &a.config.Bucket, Key: &name}); err != nil {
		return a.otherFailure("DeleteObject", name, "s3:DeleteObject", err)
	}
	return nil
}
