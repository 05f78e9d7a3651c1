// Command electd-arbiter-etcd is the arbiter "etcd": an example of a third
// party's plugin, and one to be used.
package main

import (
	"context"

	"github.com/electd/electd/arbiter/etcd"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

func main() {
	plugins.Serve(plugins.Plugin[etcd.Config]{
		Name: "etcd",
		Doc:  "Keeps lease records in an etcd cluster and watches them there.",
		New:  func(ctx context.Context, c etcd.Config) (core.Arbiter, error) { return etcd.New(ctx, c) },
	})
}
