package strict3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// maxSkew is how far a request's date may be off.
const maxSkew = 15 * time.Minute

const amzTime = "20060102T150405Z"

// authorization is the parsed header of Signature Version 4.
type authorization struct {
	keyID     string
	date      string // 20060102
	region    string
	signed    []string // header names, lower case, in the order they were signed
	signature string
}

// admit checks who signed the request, reads its body and checks that against
// the signed digest.
func (s *Server) admit(r *request) *failure {
	if len(s.options.Users) == 0 {
		return s.readBody(r)
	}
	if r.Header.Get("Authorization") == "" {
		return fail(http.StatusForbidden, "AccessDenied", "Access Denied: the request is not signed")
	}
	a, err := parseAuthorization(r.Header.Get("Authorization"))
	if err != nil {
		return err
	}
	user, err := s.user(a, r)
	if err != nil {
		return err
	}
	if err := s.checkScope(a, r); err != nil {
		return err
	}
	want := sign(user.SecretAccessKey, a, stringToSign(a, r))
	if !hmac.Equal([]byte(want), []byte(a.signature)) {
		return fail(http.StatusForbidden, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. Check your key and signing method.").
			with("AWSAccessKeyId", a.keyID)
	}
	r.from = user.AccessKeyID
	return s.readBody(r)
}

func parseAuthorization(header string) (authorization, *failure) {
	malformed := fail(http.StatusBadRequest, "AuthorizationHeaderMalformed", "The authorization header is malformed")
	scheme, rest, _ := strings.Cut(header, " ")
	if scheme != "AWS4-HMAC-SHA256" {
		return authorization{}, fail(http.StatusBadRequest, "InvalidRequest", "Please use AWS4-HMAC-SHA256: "+scheme+" is not supported")
	}
	fields := map[string]string{}
	for _, field := range strings.Split(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		fields[name] = value
	}
	scope := strings.Split(fields["Credential"], "/")
	if len(scope) < 5 || fields["SignedHeaders"] == "" || fields["Signature"] == "" {
		return authorization{}, malformed
	}
	n := len(scope)
	if scope[n-1] != "aws4_request" || scope[n-2] != "s3" {
		return authorization{}, malformed
	}
	return authorization{
		keyID:     strings.Join(scope[:n-4], "/"),
		date:      scope[n-4],
		region:    scope[n-3],
		signed:    strings.Split(fields["SignedHeaders"], ";"),
		signature: fields["Signature"],
	}, nil
}

// user finds the access key and checks the session token.
func (s *Server) user(a authorization, r *request) (User, *failure) {
	i := slices.IndexFunc(s.options.Users, func(u User) bool { return u.AccessKeyID == a.keyID })
	if i < 0 {
		return User{}, fail(http.StatusForbidden, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.").with("AWSAccessKeyId", a.keyID)
	}
	u := s.options.Users[i]
	switch {
	case r.Header.Get("X-Amz-Security-Token") != u.SessionToken:
		return User{}, fail(http.StatusBadRequest, "InvalidToken", "The provided token is malformed or otherwise invalid.")
	case !u.Expires.IsZero() && s.options.Now().After(u.Expires):
		return User{}, fail(http.StatusBadRequest, "ExpiredToken", "The provided token has expired.")
	}
	return u, nil
}

// checkScope checks what the signature is for: this region, this time, and all
// headers that matter.
func (s *Server) checkScope(a authorization, r *request) *failure {
	if a.region != s.options.Region {
		return fail(http.StatusBadRequest, "AuthorizationHeaderMalformed", fmt.Sprintf(
			"The authorization header is malformed; the region '%s' is wrong; expecting '%s'", a.region, s.options.Region)).with("Region", s.options.Region)
	}
	now := s.options.Now()
	date, err := time.Parse(amzTime, r.Header.Get("X-Amz-Date"))
	if err != nil || date.Format("20060102") != a.date {
		return fail(http.StatusForbidden, "AccessDenied", "AWS authentication requires a valid Date or x-amz-date header")
	}
	if d := now.Sub(date); d > maxSkew || d < -maxSkew {
		return fail(http.StatusForbidden, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large.").
			with("RequestTime", r.Header.Get("X-Amz-Date")).
			with("ServerTime", now.UTC().Format(time.RFC3339)).
			with("MaxAllowedSkewMilliseconds", fmt.Sprint(maxSkew.Milliseconds()))
	}
	for name := range r.Header {
		name = strings.ToLower(name)
		if (strings.HasPrefix(name, "x-amz-") || name == "content-md5") && !slices.Contains(a.signed, name) {
			return fail(http.StatusForbidden, "AccessDenied", "There were headers present in the request which were not signed").with("HeadersNotSigned", name)
		}
	}
	if !slices.Contains(a.signed, "host") {
		return fail(http.StatusForbidden, "AccessDenied", "The host header must be signed")
	}
	return nil
}

// stringToSign is what the client should have signed.
func stringToSign(a authorization, r *request) string {
	canonical := sha256.Sum256([]byte(canonicalRequest(a, r)))
	return strings.Join([]string{
		"AWS4-HMAC-SHA256",
		r.Header.Get("X-Amz-Date"),
		a.date + "/" + a.region + "/s3/aws4_request",
		hex.EncodeToString(canonical[:]),
	}, "\n")
}

func canonicalRequest(a authorization, r *request) string {
	var headers strings.Builder
	for _, name := range a.signed {
		headers.WriteString(name + ":" + strings.Join(canonicalValues(r, name), ",") + "\n")
	}
	return strings.Join([]string{
		r.Method,
		r.URL.EscapedPath(),
		canonicalQuery(r.URL.Query()),
		headers.String(),
		strings.Join(a.signed, ";"),
		r.Header.Get("X-Amz-Content-Sha256"),
	}, "\n")
}

// canonicalValues returns a header's values; net/http keeps two elsewhere.
func canonicalValues(r *request, name string) []string {
	switch name {
	case "host":
		return []string{r.Host}
	case "content-length":
		return []string{fmt.Sprint(r.ContentLength)}
	}
	var values []string
	for _, v := range r.Header.Values(name) {
		values = append(values, strings.Join(strings.Fields(v), " "))
	}
	return values
}

func canonicalQuery(query url.Values) string {
	var pairs []string
	for name, values := range query {
		for _, value := range values {
			pairs = append(pairs, escape(name)+"="+escape(value))
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// escape is percent-encoding as signatures want it: a blank is %20.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// sign derives the day's key from the secret and signs text with it.
func sign(secret string, a authorization, text string) string {
	key := []byte("AWS4" + secret)
	for _, part := range []string{a.date, a.region, "s3", "aws4_request"} {
		key = mac(key, part)
	}
	return hex.EncodeToString(mac(key, text))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
