// Command electd-arbiter-file is the arbiter "file" as a plugin of its own.
package main

import "github.com/electd/electd/plugins/electd-arbiter-file/fileplugin"

func main() { fileplugin.Plugin.Serve() }
