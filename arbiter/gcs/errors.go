package gcs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"github.com/electd/electd/arbiter/internal/httpstore"
	"github.com/electd/electd/core"
)

// Failure is the error of every call.
type Failure = httpstore.Failure

// diagnosis is what an error says, before it is known whether a read or a write
// met it.
type diagnosis struct {
	code   error // nil: the store failed or fell silent, and only the flight tells more
	answer string
	advice string
}

// failure is a diagnosis in the words of one call.
func (a *Arbiter) failure(doing, name string, d diagnosis, cause error) error {
	asked := fmt.Sprintf("%s %s in bucket %s", doing, name, a.config.Bucket)
	if a.config.Endpoint != "" {
		asked += " at " + a.config.Endpoint
	}
	return &Failure{Code: d.code, Asked: asked, Answer: d.answer, Advice: d.advice, Cause: cause}
}

// readFailure is the error of a read. Whatever is not understood told nothing.
func (a *Arbiter) readFailure(name string, err error) error {
	d := a.diagnose(err)
	if d.code == nil || errors.Is(d.code, core.ErrConflict) {
		d.code = core.ErrUnavailable
	}
	return a.failure("reading", name, d, err)
}

// writeFailure is the error of a write. Whatever is not understood may have been
// applied, if anything of the request may have left.
func (a *Arbiter) writeFailure(name string, left bool, err error) error {
	d := a.diagnose(err)
	switch {
	case d.code != nil:
	case left:
		d.code = core.ErrUnknown
	default:
		d.code = core.ErrUnavailable
	}
	return a.failure("writing", name, d, err)
}

// diagnose reads an SDK error: the answer, if there was one, else how the request
// ended.
func (a *Arbiter) diagnose(err error) diagnosis {
	var tokenError *auth.Error
	var answer *googleapi.Error
	switch {
	case errors.As(err, &tokenError):
		return diagnoseToken(tokenError)
	case errors.As(err, &answer):
		return a.diagnoseAnswer(answer)
	}
	return diagnoseSilence(err)
}

// diagnoseAnswer reads an answer that is an error.
func (a *Arbiter) diagnoseAnswer(e *googleapi.Error) diagnosis {
	d := diagnosis{answer: fmt.Sprintf("answered %d: %s", e.Code, firstLine(e))}
	switch status := e.Code; {
	case status == http.StatusPreconditionFailed, status == http.StatusConflict:
		d.code = core.ErrConflict
	case missesObject(e):
		d.code = core.ErrConflict // the one that was expected is gone
	case missesBucket(e):
		d.code, d.advice = core.ErrInvalid, fmt.Sprintf("create bucket %q, or correct bucket", a.config.Bucket)
	case status == http.StatusTooManyRequests, status == http.StatusForbidden && hasReason(e, "rateLimitExceeded", "userRateLimitExceeded"):
		d.code = core.ErrThrottled
	case status == http.StatusUnauthorized:
		d.code, d.advice = core.ErrDenied, "the credentials are not accepted; check credentials_file and this machine's clock"
	case status == http.StatusForbidden:
		d.code, d.advice = core.ErrDenied, "the account needs storage.objects.get, .create and .delete on the bucket, as in the role Storage Object User"
	case status == http.StatusRequestTimeout, status >= 500:
		// Nobody knows how far the store had come.
	case status < 400:
		d.code, d.advice = core.ErrInvalid, "redirects are not followed: correct endpoint"
	default:
		d.code, d.advice = core.ErrInvalid, "is the endpoint Google Cloud Storage's JSON API?"
	}
	return d
}

// diagnoseToken reads an error of the token service. The request itself was not
// sent.
func diagnoseToken(e *auth.Error) diagnosis {
	d := diagnosis{code: core.ErrUnavailable, answer: "no token: " + rootText(e)}
	if e.Response != nil && e.Response.StatusCode < 500 && e.Response.StatusCode != http.StatusTooManyRequests {
		d.code, d.advice = core.ErrDenied, "check credentials_file, whether the account still exists, and this machine's clock"
	}
	return d
}

// diagnoseSilence reads an error that came without an answer.
func diagnoseSilence(err error) diagnosis {
	var (
		unknownAuthority x509.UnknownAuthorityError
		wrongName        x509.HostnameError
		plain            tls.RecordHeaderError
		dns              *net.DNSError
	)
	d := diagnosis{answer: rootText(err)}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		d.answer = "no answer before the deadline"
	case errors.Is(err, context.Canceled):
		d.answer = "given up before the answer came"
	case errors.As(err, &unknownAuthority), errors.As(err, &wrongName):
		d.code, d.advice = core.ErrInvalid, "check endpoint, and the certificate authorities of this machine"
	case errors.As(err, &plain), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		d.code, d.advice = core.ErrInvalid, "the server speaks no TLS there: use http:// in endpoint"
	case errors.Is(err, httpstore.ErrHandshake):
		d.answer, d.advice = httpstore.ErrHandshake.Error(), "does the server speak TLS there? If not, use http:// in endpoint"
	case errors.As(err, &dns) && dns.IsNotFound:
		d.advice = "is the host name of endpoint right?"
	}
	return d
}

// absent tells an answer that proves that there is no object from every other one.
func absent(err error) bool {
	var answer *googleapi.Error
	return errors.Is(err, storage.ErrObjectNotExist) && errors.As(err, &answer) && missesObject(answer)
}

// answersAbsence reports whether the store answered that what was asked for is not
// there.
func answersAbsence(err error) bool {
	var answer *googleapi.Error
	return errors.As(err, &answer) && answer.Code == http.StatusNotFound
}

// noPlace reads that answer to a write which creates: no object can be missing
// then, only what it would be in. Not every server says that it is the bucket.
func (a *Arbiter) noPlace(err error) diagnosis {
	d := a.diagnose(err)
	d.code, d.advice = core.ErrInvalid, fmt.Sprintf("does the bucket exist? Create %q, or correct bucket or endpoint", a.config.Bucket)
	return d
}

// missesObject reports whether the answer says that there is no such object. The
// page of a gateway says nothing of the kind.
func missesObject(e *googleapi.Error) bool {
	return e.Code == http.StatusNotFound && !missesBucket(e) && !strings.HasPrefix(strings.TrimSpace(e.Body), "<")
}

// missesBucket reports whether it is the bucket that is not found. Google tells
// it in the message alone.
func missesBucket(e *googleapi.Error) bool {
	text := strings.ToLower(e.Message + e.Body)
	return e.Code == http.StatusNotFound && (strings.Contains(text, "bucket does not exist") || strings.Contains(text, "bucket not found"))
}

// hasReason reports whether the answer carries one of the reasons.
func hasReason(e *googleapi.Error, reasons ...string) bool {
	return slices.ContainsFunc(e.Errors, func(item googleapi.ErrorItem) bool {
		return slices.Contains(reasons, item.Reason)
	})
}

// firstLine is the answer's own message, kept short.
func firstLine(e *googleapi.Error) string {
	text := e.Message
	if text == "" {
		text = e.Body
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if text == "" {
		return http.StatusText(e.Code)
	}
	return text[:min(len(text), 200)]
}

// rootText is the innermost error's text: what wraps it repeats the URL.
func rootText(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

func noGeneration(code error) diagnosis {
	return diagnosis{code, "the store answered without a generation", "is the endpoint Google Cloud Storage's JSON API? a proxy in between may strip X-Goog- headers"}
}
