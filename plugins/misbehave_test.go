package plugins_test

import (
	"fmt"
	"os"
	"time"
)

// misbehave is the main function of plugins that fail in one way or another.
func misbehave(how string) {
	switch how {
	case "print":
		fmt.Println("hello, I am no plugin")
		time.Sleep(time.Minute)
	case "die":
		fmt.Fprintln(os.Stderr, "cannot find libfoo.so.3")
		os.Exit(4)
	case "mute":
		time.Sleep(time.Minute)
	}
}
