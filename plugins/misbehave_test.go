package plugins_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// misbehave is the main function of plugins that do what they should not, or
// more than they need.
func misbehave(how string) {
	if path, ok := strings.CutPrefix(how, "struck "); ok { // unless it was before
		if _, err := os.Stat(path); err != nil {
			os.WriteFile(path, nil, 0o600)
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		plugins.Serve(memory)
		return
	}
	if path, ok := strings.CutPrefix(how, "barred "); ok { // while that file is there
		if _, err := os.Stat(path); err == nil {
			fmt.Fprintln(os.Stderr, "the way is barred")
			os.Exit(4)
		}
		plugins.Serve(memory)
		return
	}
	switch how {
	case "print":
		fmt.Println("hello, I am no plugin")
		time.Sleep(time.Minute)
	case "die":
		fmt.Fprintln(os.Stderr, "cannot find libfoo.so.3")
		os.Exit(4)
	case "future":
		fmt.Println("1|2|unix|/nowhere|grpc|")
		time.Sleep(time.Minute)
	case "mute":
		time.Sleep(time.Minute)
	case "flood":
		fmt.Println(strings.Repeat("x", 100_192))
		time.Sleep(time.Minute)
	case "huge":
		fmt.Fprintln(os.Stderr, strings.Repeat("e", 3<<20))
		serveAndDo(printHugeLines)
	case "talk":
		serveAndDo(talk)
	case "elsewhere": // its socket is not where the host wants it
		os.Setenv("PLUGIN_UNIX_SOCKET_DIR", "")
		plugins.Serve(memory)
	case "notls":
		os.Unsetenv("PLUGIN_CLIENT_CERT")
		plugins.Serve(memory)
	default:
		fmt.Fprintln(os.Stderr, "no such behaviour:", how)
		os.Exit(5)
	}
}

// serveAndDo serves the memory arbiter and does something when it is opened,
// when the handshake is long over. stdout is what standard output was before
// go-plugin put a stream of its own in its place.
func serveAndDo(something func(stdout *os.File)) {
	stdout := os.Stdout
	talking := memory
	talking.New = func(ctx context.Context, c memoryConfig) (core.Arbiter, error) {
		something(stdout)
		return newMemory(ctx, c)
	}
	plugins.Serve(talking)
}

func printHugeLines(stdout *os.File) {
	fmt.Fprintln(stdout, strings.Repeat("o", 3<<20))
	fmt.Println(strings.Repeat("p", 3<<20)) // through go-plugin's stream
	fmt.Fprintln(os.Stderr, "written to the end")
}

func talk(*os.File) {
	slog.Warn("by slog", "n", 3)
	slog.Debug("quietly")
	fmt.Println("printed to standard output")
	for _, line := range []string{
		"a plain line",
		"[WARN] by prefix",
		"ERROR:root:as Python prints it",
		"time=now level=warn msg=logfmt",
		`{"@level":"error","@message":"by hclog","@module":"a","@timestamp":"2026-01-01T00:00:00Z"}`,
		"panic: oh no",
		"goroutine 1 [running]:",
	} {
		fmt.Fprintln(os.Stderr, line)
	}
}
