package bully_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/electd/electd/internal/servers"
)

// connected gives the nodes heartbeats to each other, as the transport block of
// the README does.
func (x *example) connected() {
	x.t.Helper()
	x.peers(func(_, _, address string) string { return address })
}

// peers gives each node a transport block in which way says how it reaches another.
func (x *example) peers(way func(node, peer, address string) string) {
	x.t.Helper()
	address := map[string]string{}
	for _, node := range x.names() {
		address[node] = servers.FreeAddress(x.t)
	}
	for _, node := range x.names() {
		block := fmt.Sprintf("\ntransport {\n  listen   = %q\n  insecure = true\n", address[node])
		for _, peer := range x.names() {
			if peer != node {
				block += fmt.Sprintf("  peer %q {\n    address = %q\n  }\n", peer, way(node, peer, address[peer]))
			}
		}
		f, err := os.OpenFile(filepath.Join(x.dir, node+".hcl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			x.t.Fatal(err)
		}
		if _, err := f.WriteString(block + "}\n"); err != nil {
			x.t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			x.t.Fatal(err)
		}
	}
}
