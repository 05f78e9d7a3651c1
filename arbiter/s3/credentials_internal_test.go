package s3

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"go.uber.org/goleak"
)

// issuer is a source of credentials under a test's control.
type issuer struct {
	mu     sync.Mutex
	issued int
	life   time.Duration
	fail   error
	hang   bool
}

func (i *issuer) set(change func(*issuer)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(i)
}

func (i *issuer) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.issued
}

func (i *issuer) Retrieve(ctx context.Context) (aws.Credentials, error) {
	i.mu.Lock()
	fail, hang := i.fail, i.hang
	i.mu.Unlock()
	if hang {
		<-ctx.Done()
		return aws.Credentials{}, ctx.Err()
	}
	if fail != nil {
		return aws.Credentials{}, fail
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.issued++
	return aws.Credentials{
		AccessKeyID: fmt.Sprint("key-", i.issued), SecretAccessKey: "s", Source: "issuer",
		CanExpire: i.life > 0, Expires: time.Now().Add(i.life),
	}, nil
}

var quickPace = pace{before: 15 * time.Minute, again: 20 * time.Millisecond, breath: 5 * time.Millisecond, timeout: 200 * time.Millisecond}

func within(t *testing.T, d time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(d); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", d, what)
		}
	}
}

func TestCredentialsAreRenewedAheadOfTheirEnd(t *testing.T) {
	defer goleak.VerifyNone(t)
	i := &issuer{life: 400 * time.Millisecond}
	k := keep(i, quickPace)
	defer k.close()
	first, err := k.Retrieve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	within(t, 20*time.Second, "a second renewal", func() bool { return i.count() >= 2 })
	second, err := k.Retrieve(context.Background())
	if err != nil || second.AccessKeyID == first.AccessKeyID {
		t.Fatalf("still %s, %v", second.AccessKeyID, err)
	}
}

// While the token service hangs, requests go on with what is kept, at once;
// when that has ended they fail with the reason, and recover.
func TestTokenServiceOutage(t *testing.T) {
	defer goleak.VerifyNone(t)
	i := &issuer{life: 2 * time.Second}
	k := keep(i, quickPace)
	defer k.close()
	if _, err := k.Retrieve(context.Background()); err != nil {
		t.Fatal(err)
	}
	i.set(func(i *issuer) { i.hang = true })
	within(t, 20*time.Second, "a failed renewal", func() bool { return k.status().Problem != "" })
	if left := time.Until(k.status().Expires); left > 100*time.Millisecond {
		began := time.Now()
		if _, err := k.Retrieve(context.Background()); err != nil || time.Since(began) > left/2 {
			t.Errorf("while the service hangs: %v after %v", err, time.Since(began))
		}
	}
	within(t, 20*time.Second, "the end of the credentials", func() bool { return time.Now().After(k.status().Expires) })
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := k.Retrieve(ctx)
	var none *credentialsError
	if !errors.As(err, &none) {
		t.Fatalf("after their end: %v", err)
	}
	i.set(func(i *issuer) { i.hang = false })
	within(t, 20*time.Second, "recovery", func() bool { _, err := k.Retrieve(context.Background()); return err == nil })
}

func TestNoCredentials(t *testing.T) {
	i := &issuer{fail: errors.New("nothing found in the chain")}
	k := keep(i, quickPace)
	defer k.close()
	_, err := k.Retrieve(context.Background())
	if err == nil || !strings.Contains(err.Error(), "nothing found in the chain") {
		t.Fatalf("%v, want the chain's reason", err)
	}
}

// A source that gives nothing but ended credentials is not asked in a loop.
func TestEndedCredentialsOfTheSource(t *testing.T) {
	i := &issuer{life: time.Nanosecond}
	k := keep(i, pace{before: time.Minute, again: time.Hour, breath: time.Hour, timeout: time.Second})
	defer k.close()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := k.Retrieve(ctx); err == nil || !strings.Contains(err.Error(), "ended at") {
		t.Errorf("%v, want: ended", err)
	}
	if n := i.count(); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}
