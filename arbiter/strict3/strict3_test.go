package strict3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/electd/electd/arbiter/strict3"
)

var alice = strict3.User{AccessKeyID: "ALICE", SecretAccessKey: "open sesame"}

// start runs a store with one bucket, "box", and returns a client for it.
func start(t *testing.T, o strict3.Options, b strict3.Bucket, change ...func(*s3.Options)) *s3.Client {
	t.Helper()
	if o.Users == nil {
		o.Users = []strict3.User{alice}
	}
	b.Name = "box"
	store := strict3.New(o)
	store.CreateBucket(b)
	server := httptest.NewServer(store)
	t.Cleanup(server.Close)
	return s3.New(s3.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1", UsePathStyle: true, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider(alice.AccessKeyID, alice.SecretAccessKey, ""),
	}, change...)
}

func put(c *s3.Client, key, body string, change ...func(*s3.PutObjectInput)) (string, error) {
	in := &s3.PutObjectInput{Bucket: aws.String("box"), Key: &key, Body: strings.NewReader(body)}
	for _, f := range change {
		f(in)
	}
	out, err := c.PutObject(context.Background(), in)
	if err != nil {
		return "", err
	}
	return *out.ETag, nil
}

func ifMatch(etag string) func(*s3.PutObjectInput) {
	return func(in *s3.PutObjectInput) { in.IfMatch = &etag }
}

func ifNew(in *s3.PutObjectInput) { in.IfNoneMatch = aws.String("*") }

func get(c *s3.Client, key string) (string, error) {
	out, err := c.GetObject(context.Background(), &s3.GetObjectInput{Bucket: aws.String("box"), Key: &key})
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(out.Body)
	return string(body), err
}

func remove(c *s3.Client, key, etag string) error {
	in := &s3.DeleteObjectInput{Bucket: aws.String("box"), Key: &key}
	if etag != "" {
		in.IfMatch = &etag
	}
	_, err := c.DeleteObject(context.Background(), in)
	return err
}

// wantCode fails unless err is an answer with that status and code.
func wantCode(t *testing.T, what string, err error, status int, code string) {
	t.Helper()
	var answer *smithyhttp.ResponseError
	var api smithy.APIError
	if !errors.As(err, &answer) || !errors.As(err, &api) {
		t.Fatalf("%s: %v, want %d %s", what, err, status, code)
	}
	if answer.HTTPStatusCode() != status || api.ErrorCode() != code {
		t.Fatalf("%s: %d %s, want %d %s", what, answer.HTTPStatusCode(), api.ErrorCode(), status, code)
	}
}

func TestConditionalPut(t *testing.T) {
	c := start(t, strict3.Options{}, strict3.Bucket{})
	_, err := put(c, "k", "early", ifMatch(`"0123"`))
	wantCode(t, "If-Match on a missing key", err, 404, "NoSuchKey")
	one, err := put(c, "k", "one", ifNew)
	if err != nil {
		t.Fatal(err)
	}
	_, err = put(c, "k", "two", ifNew)
	wantCode(t, "second create", err, 412, "PreconditionFailed")
	two, err := put(c, "k", "two", ifMatch(one))
	if err != nil {
		t.Fatal(err)
	}
	_, err = put(c, "k", "three", ifMatch(one))
	wantCode(t, "stale If-Match", err, 412, "PreconditionFailed")
	if _, err := put(c, "k", "three", ifMatch(strings.Trim(two, `"`))); err != nil {
		t.Fatalf("If-Match without quotes: %v", err)
	}
	_, err = put(c, "k", "x", func(in *s3.PutObjectInput) { in.IfNoneMatch = aws.String(`"abc"`) })
	wantCode(t, "If-None-Match with an ETag", err, 501, "NotImplemented")
	if got, err := get(c, "k"); err != nil || got != "three" {
		t.Fatalf("read %q, %v, want three", got, err)
	}
}

func TestConflictOfWritesInFlight(t *testing.T) {
	c := start(t, strict3.Options{InFlight: 500 * time.Millisecond}, strict3.Bucket{})
	first, err := put(c, "k", "first")
	if err != nil {
		t.Fatal(err)
	}
	const writers = 8
	var wins, conflicts, others atomic.Int64
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			_, err := put(c, "k", fmt.Sprint("writer ", w), ifMatch(first))
			var api smithy.APIError
			switch {
			case err == nil:
				wins.Add(1)
			case errors.As(err, &api) && api.ErrorCode() == "ConditionalRequestConflict":
				conflicts.Add(1)
			default:
				others.Add(1)
				t.Log(err)
			}
		})
	}
	wg.Wait()
	if wins.Load() != 1 || conflicts.Load() == 0 || wins.Load()+conflicts.Load()+others.Load() != writers {
		t.Fatalf("%d wins, %d conflicts (409), %d others; want 1 win and at least one 409", wins.Load(), conflicts.Load(), others.Load())
	}
}

func TestConditionalDelete(t *testing.T) {
	c := start(t, strict3.Options{}, strict3.Bucket{})
	wantCode(t, "delete of nothing", remove(c, "k", `"0123"`), 404, "NoSuchKey")
	etag, err := put(c, "k", "one")
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, "delete of another version", remove(c, "k", `"0123"`), 412, "PreconditionFailed")
	if err := remove(c, "k", etag); err != nil {
		t.Fatal(err)
	}
	_, err = get(c, "k")
	wantCode(t, "read after delete", err, 404, "NoSuchKey")
	if err := remove(c, "k", ""); err != nil {
		t.Fatalf("unconditional delete of nothing: %v", err)
	}
}

func TestVersionedBucket(t *testing.T) {
	c := start(t, strict3.Options{}, strict3.Bucket{Versioned: true})
	one, err := put(c, "k", "one", ifNew)
	if err != nil {
		t.Fatal(err)
	}
	if err := remove(c, "k", ""); err != nil {
		t.Fatal(err)
	}
	_, err = get(c, "k")
	wantCode(t, "read of a delete marker", err, 404, "NoSuchKey")
	_, err = put(c, "k", "two", ifMatch(one))
	wantCode(t, "If-Match on a delete marker", err, 404, "NoSuchKey")
	wantCode(t, "conditional delete on a delete marker", remove(c, "k", one), 412, "PreconditionFailed")
	if _, err := put(c, "k", "two", ifNew); err != nil {
		t.Fatalf("create on a delete marker: %v", err)
	}
	list, err := c.ListObjectVersions(context.Background(), &s3.ListObjectVersionsInput{Bucket: aws.String("box")})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Versions) != 2 || len(list.DeleteMarkers) != 1 || !*list.Versions[0].IsLatest {
		t.Fatalf("%d versions and %d delete markers, want 2 and 1", len(list.Versions), len(list.DeleteMarkers))
	}
	old := list.Versions[1].VersionId
	out, err := c.GetObject(context.Background(), &s3.GetObjectInput{Bucket: aws.String("box"), Key: aws.String("k"), VersionId: old})
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(out.Body); string(body) != "one" {
		t.Fatalf("old version is %q, want one", body)
	}
}

func TestWhoMaySign(t *testing.T) {
	now := time.Now()
	expired := strict3.User{AccessKeyID: "BOB", SecretAccessKey: "s", SessionToken: "token", Expires: now.Add(-time.Minute)}
	as := func(id, secret, token string) func(*s3.Options) {
		return func(o *s3.Options) { o.Credentials = credentials.NewStaticCredentialsProvider(id, secret, token) }
	}
	for _, c := range []struct {
		name   string
		now    time.Time
		change func(*s3.Options)
		status int
		code   string
	}{
		{"wrong secret", now, as("ALICE", "guess", ""), 403, "SignatureDoesNotMatch"},
		{"unknown key", now, as("MALLORY", "open sesame", ""), 403, "InvalidAccessKeyId"},
		{"expired token", now, as("BOB", "s", "token"), 400, "ExpiredToken"},
		{"wrong token", now, as("BOB", "s", "other"), 400, "InvalidToken"},
		{"no signature", now, func(o *s3.Options) { o.Credentials = aws.AnonymousCredentials{} }, 403, "AccessDenied"},
		{"clock behind", now.Add(20 * time.Minute), func(*s3.Options) {}, 403, "RequestTimeTooSkewed"},
		{"clock ahead", now.Add(-20 * time.Minute), func(*s3.Options) {}, 403, "RequestTimeTooSkewed"},
		{"wrong region", now, func(o *s3.Options) { o.Region = "eu-west-1" }, 400, "AuthorizationHeaderMalformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := start(t, strict3.Options{Users: []strict3.User{alice, expired}, Now: func() time.Time { return c.now }}, strict3.Bucket{}, c.change)
			_, err := put(client, "k", "x")
			wantCode(t, "PUT", err, c.status, c.code)
		})
	}
}

func TestSignatureCoversOddKeysAndBodies(t *testing.T) {
	c := start(t, strict3.Options{}, strict3.Bucket{})
	for _, key := range []string{"a b/c+d", "ü/€", "a=b&c", "~!*'()", "percent%2Fslash"} {
		body := strings.Repeat(key, 3000)
		if _, err := put(c, key, body); err != nil {
			t.Errorf("put %q: %v", key, err)
			continue
		}
		if got, err := get(c, key); err != nil || got != body {
			t.Errorf("get %q: %d bytes, %v, want %d", key, len(got), err, len(body))
		}
	}
}

func TestAlteredBodyIsRefused(t *testing.T) {
	store := strict3.New(strict3.Options{Users: []strict3.User{alice}})
	store.CreateBucket(strict3.Bucket{Name: "box"})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte("a"), []byte("b"))))
		store.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := s3.New(s3.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1", UsePathStyle: true, Retryer: aws.NopRetryer{},
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		Credentials:                credentials.NewStaticCredentialsProvider(alice.AccessKeyID, alice.SecretAccessKey, ""),
	})
	_, err := put(c, "k", "aaa")
	wantCode(t, "altered body", err, 400, "XAmzContentSHA256Mismatch")
}

func TestDenyByAction(t *testing.T) {
	for _, action := range []string{"s3:PutObject", "s3:GetObject", "s3:ListBucket", "s3:DeleteObject"} {
		t.Run(action, func(t *testing.T) {
			c := start(t, strict3.Options{Deny: func(a, _ string) bool { return a == action }}, strict3.Bucket{})
			_, putErr := put(c, "k", "x")
			_, getErr := get(c, "k")
			_, missingErr := get(c, "missing")
			deleteErr := remove(c, "k", "")
			for what, err := range map[string]error{"s3:PutObject": putErr, "s3:GetObject": getErr, "s3:DeleteObject": deleteErr} {
				if what == action {
					wantCode(t, what, err, 403, "AccessDenied")
					if !strings.Contains(err.Error(), what) {
						t.Errorf("%v does not name %s", err, what)
					}
				} else if err != nil && action != "s3:PutObject" {
					t.Errorf("%s: %v", what, err)
				}
			}
			if action == "s3:ListBucket" {
				wantCode(t, "missing key without permission to list", missingErr, 403, "AccessDenied")
			}
		})
	}
}

func TestBucketErrors(t *testing.T) {
	c := start(t, strict3.Options{}, strict3.Bucket{Region: "eu-west-1"})
	_, err := put(c, "k", "x")
	wantCode(t, "bucket elsewhere", err, 301, "PermanentRedirect")
	_, err = c.GetObject(context.Background(), &s3.GetObjectInput{Bucket: aws.String("none"), Key: aws.String("k")})
	wantCode(t, "no bucket", err, 404, "NoSuchBucket")
}

func TestObjectLockDemandsChecksum(t *testing.T) {
	without := func(o *s3.Options) { o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired }
	_, err := put(start(t, strict3.Options{}, strict3.Bucket{ObjectLock: true}, without), "k", "x")
	wantCode(t, "put without checksum", err, 400, "InvalidRequest")
	with := func(o *s3.Options) { o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenSupported }
	if _, err := put(start(t, strict3.Options{}, strict3.Bucket{ObjectLock: true}, with), "k", "x"); err != nil {
		t.Fatal(err)
	}
}

func TestList(t *testing.T) {
	c := start(t, strict3.Options{}, strict3.Bucket{})
	for _, key := range []string{"a", "dir/1", "dir/2", "e f", "z"} {
		if _, err := put(c, key, key); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	pages := s3.NewListObjectsV2Paginator(c, &s3.ListObjectsV2Input{Bucket: aws.String("box"), Delimiter: aws.String("/"), MaxKeys: aws.Int32(2)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Contents {
			got = append(got, *o.Key)
		}
		for _, p := range page.CommonPrefixes {
			got = append(got, *p.Prefix)
		}
	}
	if want := "a|dir/|e f|z"; strings.Join(got, "|") != want {
		t.Errorf("listed %s, want %s", strings.Join(got, "|"), want)
	}
	under, err := c.ListObjects(context.Background(), &s3.ListObjectsInput{Bucket: aws.String("box"), Prefix: aws.String("dir/")})
	if err != nil || len(under.Contents) != 2 || *under.Contents[1].Key != "dir/2" {
		t.Errorf("listed under dir/: %+v, %v", under, err)
	}
}
