package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/electd/electd/arbiter/internal/httpstore"
	"github.com/electd/electd/core"
)

// Failure is the error of every call.
type Failure = httpstore.Failure

// diagnosis is what an SDK error says, before it is known whether a read or a
// write met it.
type diagnosis struct {
	code   error // nil: the store failed or fell silent, and only the flight tells more
	answer string
	advice string
}

// diagnose reads an SDK error. It looks at the answer first; without one at how
// the request ended.
func (a *Arbiter) diagnose(err error) diagnosis {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) && response.HTTPStatusCode() >= 300 {
		return a.diagnoseAnswer(readAnswer(response, err))
	}
	return a.diagnoseSilence(err)
}

// answer is what the store said, as far as it matters here.
type answer struct {
	status  int
	code    string // S3's own error code; empty if the body was no S3 error
	message string
	header  http.Header
}

func readAnswer(response *smithyhttp.ResponseError, err error) answer {
	a := answer{status: response.HTTPStatusCode(), header: http.Header{}}
	if response.Response != nil && response.Response.Response != nil {
		a.header = response.Response.Header
	}
	var api smithy.APIError
	// The SDK makes up "UnknownError" where the body has no code, and a name of
	// the status where there is no body.
	if errors.As(err, &api) && api.ErrorCode() != "UnknownError" {
		a.code, a.message = api.ErrorCode(), api.ErrorMessage()
	}
	return a
}

func (a answer) String() string {
	switch {
	case a.code == "":
		return fmt.Sprintf("answered %d without an S3 error code", a.status)
	case a.message == "":
		return fmt.Sprintf("answered %d %s", a.status, a.code)
	}
	return fmt.Sprintf("answered %d %s: %s", a.status, a.code, a.message)
}

// diagnoseAnswer reads an answer that is an error. Codes that say more than
// their status come first.
func (a *Arbiter) diagnoseAnswer(r answer) diagnosis {
	if d, ok := a.diagnoseCode(r); ok {
		return d
	}
	d := diagnosis{answer: r.String()}
	switch status := r.status; {
	case status == http.StatusConflict, status == http.StatusPreconditionFailed:
		d.code = core.ErrConflict
	case status == http.StatusNotFound:
		d.code, d.advice = core.ErrInvalid, "is the endpoint an S3 API?"
	case status == http.StatusTooManyRequests:
		d.code = core.ErrThrottled
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		d.code = core.ErrDenied
	case status == http.StatusRequestTimeout, status >= 500:
		// Nobody knows how far the store had come.
	case status < 400:
		d.code, d.advice = core.ErrInvalid, a.elsewhere(r)
	case r.code == "":
		d.code, d.advice = core.ErrInvalid, "is the endpoint an S3 API, and is http:// or https:// right?"
	default:
		d.code = core.ErrInvalid
	}
	return d
}

// diagnoseCode knows the S3 codes that need words of their own.
func (a *Arbiter) diagnoseCode(r answer) (diagnosis, bool) {
	d := diagnosis{answer: r.String()}
	switch r.code {
	case "NoSuchKey", "PreconditionFailed", "ConditionalRequestConflict", "OperationAborted":
		d.code = core.ErrConflict
	case "NoSuchBucket":
		d.code, d.advice = core.ErrInvalid, fmt.Sprintf("create bucket %q, or correct bucket, region and endpoint", a.config.Bucket)
	case "InvalidBucketName":
		d.code, d.advice = core.ErrInvalid, fmt.Sprintf("correct bucket: %q is no bucket name here", a.config.Bucket)
	case "PermanentRedirect", "TemporaryRedirect", "Redirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "InvalidRegion":
		d.code, d.advice = core.ErrInvalid, a.elsewhere(r)
	case "SlowDown", "TooManyRequests", "Throttling", "ThrottlingException", "RequestLimitExceeded":
		d.code = core.ErrThrottled
	case "NotImplemented":
		d.code, d.advice = core.ErrInvalid, "this store has no conditional writes and cannot be an arbiter"
	case "SignatureDoesNotMatch":
		d.code, d.advice = core.ErrDenied, "the secret access key does not belong to the key id, or a proxy alters requests"
	case "InvalidAccessKeyId", "XAdminUserNotFound": // the second is Versity's
		d.code, d.advice = core.ErrDenied, "the store does not know this access key id; check which credentials are used and where they belong"
	case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken":
		d.code, d.advice = core.ErrDenied, "the session token has ended or is not valid; renew the credentials"
	case "RequestTimeTooSkewed":
		d.code, d.advice = core.ErrDenied, "set this machine's clock; the next request is signed with the store's time"
		if date, err := http.ParseTime(r.header.Get("Date")); err == nil {
			d.answer += fmt.Sprintf("; this node's clock is %s", apart((time.Since(date) - httpstore.Resolution/2).Round(time.Second)))
		}
	case "RequestTimeout":
		// The store gave up on the connection; how far it had come is not said.
	default:
		return diagnosis{}, false
	}
	return d, true
}

// apart says how far this node's clock is ahead (positive) or behind.
func apart(d time.Duration) string {
	if d < 0 {
		return (-d).Round(time.Millisecond).String() + " behind the store's"
	}
	return d.Round(time.Millisecond).String() + " ahead of the store's"
}

// elsewhere explains an answer that points to another region or host.
func (a *Arbiter) elsewhere(r answer) string {
	if region := r.header.Get("X-Amz-Bucket-Region"); region != "" && region != a.region {
		return fmt.Sprintf("bucket %q is in region %s, not %s: set region = %q", a.config.Bucket, region, a.region, region)
	}
	if location := r.header.Get("Location"); location != "" {
		return fmt.Sprintf("it points to %s; redirects are not followed: correct bucket, region and endpoint", location)
	}
	return fmt.Sprintf("correct bucket %q, region %q or endpoint %s", a.config.Bucket, a.region, a.endpointName())
}

// diagnoseSilence reads an error that came without an answer.
func (a *Arbiter) diagnoseSilence(err error) diagnosis {
	var (
		credentials *credentialsError
		plain       tls.RecordHeaderError
		verify      *tls.CertificateVerificationError
		unknownCA   x509.UnknownAuthorityError
		dns         *net.DNSError
		operation   *net.OpError
	)
	switch {
	case errors.As(err, &credentials):
		return diagnoseCredentials(credentials)
	case errors.As(err, &plain), errors.Is(err, http.ErrSchemeMismatch):
		return diagnosis{answer: "the endpoint does not speak TLS", advice: "write the endpoint with http://, or give its TLS port"}
	case errors.Is(err, httpstore.ErrHandshake):
		return diagnosis{answer: httpstore.ErrHandshake.Error(), advice: "does the endpoint speak TLS? If not, write it with http://, or give its TLS port"}
	case errors.As(err, &unknownCA):
		return diagnosis{answer: "TLS: " + unknownCA.Error(), advice: "name the authority's certificate in tls_ca_file"}
	case errors.As(err, &verify):
		return diagnosis{answer: verify.Error(), advice: "the certificate must be valid for the endpoint's host name"}
	case errors.As(err, &dns):
		return diagnosis{answer: "DNS: " + dns.Error(), advice: a.dnsAdvice(dns.Name)}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), isTimeout(err):
		return diagnosis{answer: "no answer in time"}
	case errors.As(err, &operation):
		return diagnosis{answer: operation.Error()}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return diagnosis{answer: "the connection ended before the whole answer was there"}
	}
	return diagnosis{answer: rootText(err)}
}

// diagnoseCredentials tells missing credentials, which need a person, from a
// token service that cannot be reached, which needs time.
func diagnoseCredentials(e *credentialsError) diagnosis {
	d := diagnosis{answer: e.Error()}
	var service *awshttp.ResponseError
	var network net.Error
	switch {
	case e.waiting:
		d.advice = "the source of the credentials does not answer"
	case errors.As(e.err, &service) && service.HTTPStatusCode() != 0, !errors.As(e.err, &network):
		d.code, d.advice = core.ErrDenied, "set access_key_id and secret_access_key, a profile, AWS_ environment variables, or give the machine a role"
	}
	return d
}

func (a *Arbiter) dnsAdvice(name string) string {
	if strings.HasPrefix(name, a.config.Bucket+".") && a.config.Endpoint != "" {
		return "this store may want path_style = true"
	}
	return "check endpoint and region"
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// rootText is the innermost error's text: the SDK wraps it several times.
func rootText(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// writeFailure is the error of a write. What is neither answered nor kept from
// leaving may have been applied.
func (a *Arbiter) writeFailure(key string, left bool, err error) error {
	d := a.diagnose(err)
	switch {
	case d.code != nil:
	case left:
		d.code = core.ErrUnknown
	default:
		d.code = core.ErrUnavailable
	}
	if d.code == core.ErrDenied && d.advice == "" {
		d.advice = fmt.Sprintf("allow s3:PutObject on %s, and s3:GetObject, which If-Match needs", a.arn(key))
	}
	return a.failure("PutObject", key, d, err)
}

// readFailure is the error of a read.
func (a *Arbiter) readFailure(key string, err error) error {
	d := a.diagnose(err)
	if d.code == nil || d.code == core.ErrConflict {
		d.code = core.ErrUnavailable
	}
	if d.code == core.ErrDenied && d.advice == "" {
		d.advice = fmt.Sprintf("allow s3:GetObject on %s, and s3:ListBucket on the bucket: without it S3 forbids what does not exist", a.arn(key))
	}
	return a.failure("GetObject", key, d, err)
}

// otherFailure is the error of a request on which no election depends.
func (a *Arbiter) otherFailure(operation, key, action string, err error) error {
	d := a.diagnose(err)
	if d.code == nil {
		d.code = core.ErrUnavailable
	}
	if d.code == core.ErrDenied && d.advice == "" {
		d.advice = "allow " + action
	}
	return a.failure(operation, key, d, err)
}

func (a *Arbiter) failure(operation, key string, d diagnosis, cause error) error {
	return &Failure{Code: d.code, Asked: a.asked(operation, key), Answer: d.answer, Advice: d.advice, Cause: cause}
}

func (a *Arbiter) asked(operation, key string) string {
	if key != "" {
		operation += " " + key
	}
	return fmt.Sprintf("%s in bucket %s (region %s, endpoint %s)", operation, a.config.Bucket, a.region, a.endpointName())
}

func (a *Arbiter) arn(key string) string { return "arn:aws:s3:::" + a.config.Bucket + "/" + key }

func (a *Arbiter) endpointName() string {
	if a.endpoint == "" {
		return "Amazon S3"
	}
	return a.endpoint
}

// headerOf returns the headers of the answer that an error carries; empty if
// there was none.
func headerOf(err error) http.Header {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) && response.Response != nil && response.Response.Response != nil {
		return response.Response.Header
	}
	return http.Header{}
}
