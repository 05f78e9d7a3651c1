// Command electd-arbiter-gcs is the arbiter "gcs" as a plugin of its own.
package main

import "github.com/electd/electd/plugins/electd-arbiter-gcs/gcsplugin"

func main() { gcsplugin.Plugin.Serve() }
