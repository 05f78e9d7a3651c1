// Package etcdtest starts a real etcd for tests, and stands between it and a
// client to lose, hold and silence what a test says.
package etcdtest

import (
	"fmt"
	"os/exec"
	"slices"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/electd/electd/internal/servers"
)

// Start starts a cluster of one member with a data directory of its own and
// returns its address, host:port. It ends with the test.
func Start(t testing.TB, flags ...string) string {
	t.Helper()
	return start(t, "http", flags)
}

// StartSecure is Start with TLS: the member proves itself with c, and demands
// that its clients do.
func StartSecure(t testing.TB, c Certificates) string {
	t.Helper()
	return start(t, "https", []string{
		"--cert-file", c.ServerCert, "--key-file", c.ServerKey,
		"--client-cert-auth", "--trusted-ca-file", c.CA,
	})
}

func start(t testing.TB, scheme string, flags []string) string {
	t.Helper()
	program := servers.Need(t, "etcd")
	port := servers.FreePort(t)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	peer := fmt.Sprintf("http://127.0.0.1:%d", servers.FreePort(t))
	servers.Run(t, port, exec.Command(program, slices.Concat([]string{
		"--name", "one", "--data-dir", t.TempDir(),
		"--listen-client-urls", scheme + "://" + address, "--advertise-client-urls", scheme + "://" + address,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "one=" + peer,
		"--logger", "zap", "--log-level", "error",
	}, flags)...))
	return address
}

// DemandUser makes the cluster demand a user and gives this one the right to
// the keys that begin with prefix.
func DemandUser(t testing.TB, address, user, password, prefix string) {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, auth := t.Context(), c.Auth
	for _, step := range []func() error{
		func() error { _, err := auth.UserAdd(ctx, "root", "root"); return err },
		func() error { _, err := auth.UserGrantRole(ctx, "root", "root"); return err },
		func() error { _, err := auth.UserAdd(ctx, user, password); return err },
		func() error { _, err := auth.RoleAdd(ctx, "leases"); return err },
		func() error {
			_, err := auth.RoleGrantPermission(ctx, "leases", prefix, clientv3.GetPrefixRangeEnd(prefix), clientv3.PermissionType(clientv3.PermReadWrite))
			return err
		},
		func() error { _, err := auth.UserGrantRole(ctx, user, "leases"); return err },
		func() error { _, err := auth.AuthEnable(ctx); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}
