package s3

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/electd/electd/core"
)

// bucketFindings tell how the bucket is set up, as far as that matters: in a
// versioned bucket every write leaves a version behind.
func (p *prober) bucketFindings(ctx context.Context) []core.Finding {
	versioned, f := p.versioning(ctx)
	findings := []core.Finding{f}
	if versioned {
		findings = append(findings, p.objectLock(ctx))
	}
	return findings
}

// look sends one request about the bucket, within the limit of a request.
func look[In, Out any](ctx context.Context, p *prober, call func(context.Context, In, ...func(*awss3.Options)) (Out, error), in In) (Out, error) {
	p.own++
	ctx, cancel := context.WithTimeout(ctx, p.config.RequestTimeout)
	defer cancel()
	return call(ctx, in)
}

// lifecycleRule is what a versioned bucket needs, for
// aws s3api put-bucket-lifecycle-configuration.
func (a *Arbiter) lifecycleRule() string {
	prefix := a.config.Prefix
	if prefix != "" {
		prefix += "/"
	}
	return fmt.Sprintf(`{"Rules":[{"ID":"electd","Status":"Enabled","Filter":{"Prefix":%q},`+
		`"NoncurrentVersionExpiration":{"NoncurrentDays":1},"Expiration":{"ExpiredObjectDeleteMarker":true}}]}`, prefix)
}

// versioning looks whether old versions stay, and whether a rule removes them.
func (p *prober) versioning(ctx context.Context) (versioned bool, f core.Finding) {
	f = core.Finding{
		Check: "versioning", Why: "Each renewal in a versioned bucket leaves a version that is paid for.",
		Verdict: core.Passed, Observed: "the bucket is not versioned",
	}
	out, err := look(ctx, p, p.client.GetBucketVersioning, &awss3.GetBucketVersioningInput{Bucket: &p.config.Bucket})
	switch {
	case err != nil:
		f.Verdict, f.Observed = core.Noted, p.couldNotLook("GetBucketVersioning", "s3:GetBucketVersioning", err)
		return false, f
	case out.Status != types.BucketVersioningStatusEnabled:
		return false, f
	}
	rules, err := look(ctx, p, p.client.GetBucketLifecycleConfiguration, &awss3.GetBucketLifecycleConfigurationInput{Bucket: &p.config.Bucket})
	switch {
	case err == nil && p.covered(rules.Rules):
		f.Observed = "the bucket is versioned, and a lifecycle rule removes old versions"
		return true, f
	case err == nil, errorCode(err) == "NoSuchLifecycleConfiguration":
		f.Observed = "the bucket is versioned, and no lifecycle rule removes old versions under this prefix"
	default:
		f.Observed = "the bucket is versioned; " + p.couldNotLook("GetBucketLifecycleConfiguration", "s3:GetLifecycleConfiguration", err)
	}
	f.Verdict, f.Advice = core.Warned, "set this lifecycle rule beside those there are: "+p.lifecycleRule()
	return true, f
}

// covered tells whether a rule removes old versions under the prefix.
func (a *Arbiter) covered(rules []types.LifecycleRule) bool {
	for _, r := range rules {
		if r.Status != types.ExpirationStatusEnabled || r.NoncurrentVersionExpiration == nil {
			continue
		}
		prefix := aws.ToString(r.Prefix) //lint:ignore SA1019 rules set long ago have it
		if r.Filter != nil {
			if r.Filter.And != nil || r.Filter.Tag != nil || r.Filter.ObjectSizeGreaterThan != nil || r.Filter.ObjectSizeLessThan != nil {
				continue // it takes only some objects
			}
			prefix = aws.ToString(r.Filter.Prefix)
		}
		if strings.HasPrefix(a.config.Prefix+"/", prefix) {
			return true
		}
	}
	return false
}

// objectLock looks whether versions cannot be removed at all for a while.
func (p *prober) objectLock(ctx context.Context) core.Finding {
	f := core.Finding{
		Check: "object-lock", Why: "Versions under retention can be removed by nobody.",
		Verdict: core.Passed, Observed: "no object lock",
	}
	out, err := look(ctx, p, p.client.GetObjectLockConfiguration, &awss3.GetObjectLockConfigurationInput{Bucket: &p.config.Bucket})
	switch {
	case errorCode(err) == "ObjectLockConfigurationNotFoundError":
	case err != nil:
		f.Verdict, f.Observed = core.Noted, p.couldNotLook("GetObjectLockConfiguration", "s3:GetBucketObjectLockConfiguration", err)
	case out.ObjectLockConfiguration != nil && out.ObjectLockConfiguration.Rule != nil && out.ObjectLockConfiguration.Rule.DefaultRetention != nil:
		r := out.ObjectLockConfiguration.Rule.DefaultRetention
		f.Verdict = core.Warned
		f.Observed = fmt.Sprintf("every write is kept in mode %s for %s", r.Mode, retention(r))
		f.Advice = "use a bucket without default retention; the lifecycle rule removes versions only after it"
	case out.ObjectLockConfiguration != nil && out.ObjectLockConfiguration.ObjectLockEnabled == types.ObjectLockEnabledEnabled:
		f.Verdict, f.Observed = core.Noted, "object lock is enabled, without default retention"
	}
	return f
}

func retention(r *types.DefaultRetention) string {
	if r.Years != nil {
		return fmt.Sprintf("%d years", *r.Years)
	}
	return fmt.Sprintf("%d days", aws.ToInt32(r.Days))
}

// couldNotLook says why something could not be found out, with the permission
// that is missing where it is that.
func (a *Arbiter) couldNotLook(operation, action string, err error) string {
	failure := a.otherFailure(operation, "", action, err)
	if errors.Is(failure, core.ErrDenied) {
		return "not looked at: " + action + " is denied"
	}
	return "not looked at: " + failure.Error()
}
