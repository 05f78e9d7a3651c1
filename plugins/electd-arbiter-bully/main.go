// Command electd-arbiter-bully is the arbiter "bully" as a plugin of its own.
package main

import "github.com/electd/electd/plugins/electd-arbiter-bully/bullyplugin"

func main() { bullyplugin.Plugin.Serve() }
