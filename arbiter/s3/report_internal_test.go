package s3

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// reportOf is what an arbiter with these credentials reports.
func reportOf(t *testing.T, k *keeper) (problem string, id string) {
	t.Helper()
	r, err := (&Arbiter{keeper: k}).Report(context.Background())
	if err != nil || len(r.Problems) > 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	return strings.Join(r.Problems, ""), r.Credentials.ID
}

func wants(t *testing.T, what, got, want string) {
	t.Helper()
	if want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("%s: the problem is %q, want %q in it", what, got, want)
	}
}

// What an operator hears as credentials come, fail to be renewed, end, and come
// again.
func TestReportFollowsTheCredentials(t *testing.T) {
	i := &issuer{fail: errors.New("no route to the token service")}
	k := keep(i, quickPace)
	defer k.close()
	within(t, 20*time.Second, "a problem", func() bool { return k.status().Problem != "" })
	problem, _ := reportOf(t, k)
	wants(t, "none found", problem, "no credentials are found: no route to the token service")

	i.set(func(i *issuer) { i.fail, i.life = nil, time.Hour })
	within(t, 20*time.Second, "credentials", func() bool { return k.status().ID != "" })
	problem, id := reportOf(t, k)
	wants(t, "all well", problem, "")
	if id != "key-1" {
		t.Errorf("key %q is in use, want key-1", id)
	}

	i.set(func(i *issuer) { i.fail = errors.New("StatusCode: 403, RequestID: 1-2, role is gone") })
	k.refresh()
	within(t, 20*time.Second, "a failed renewal", func() bool { return k.status().Problem != "" })
	problem, _ = reportOf(t, k)
	wants(t, "not renewed", problem, "the credentials from issuer could not be renewed: StatusCode: 403, role is gone; look after their source")

	i.set(func(i *issuer) { i.fail, i.life = nil, 10*time.Millisecond })
	within(t, 20*time.Second, "an end", func() bool { p, _ := reportOf(t, k); return strings.Contains(p, "ended at") })

	i.set(func(i *issuer) { i.life = 0 })
	within(t, 20*time.Second, "recovery", func() bool { p, _ := reportOf(t, k); return p == "" })
}

// A source that says the same again is not one that renews.
func TestReportOfCredentialsThatEndSoon(t *testing.T) {
	i := &issuer{life: time.Hour}
	k := keep(i, pace{before: 15 * time.Minute, again: time.Hour, breath: time.Hour, timeout: time.Second})
	defer k.close()
	within(t, 20*time.Second, "credentials", func() bool { return k.status().ID != "" })
	for left, overdue := range map[time.Duration]bool{
		16 * time.Minute: false, 8 * time.Minute: false, 7 * time.Minute: true, -time.Second: true,
	} {
		if got := k.overdue(k.status().Expires.Add(-left)); got != overdue {
			t.Errorf("%v before the end: overdue is %v, want %v", left, got, overdue)
		}
	}
	c := k.status()
	wants(t, "soon", credentialsProblem(c, true, c.Expires.Add(-time.Minute)), "and their source gives no newer ones")
}
