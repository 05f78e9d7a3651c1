// Command electd-arbiter-s3 is the arbiter "s3" as a plugin of its own.
package main

import "github.com/electd/electd/plugins/electd-arbiter-s3/s3plugin"

func main() { s3plugin.Plugin.Serve() }
