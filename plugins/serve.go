package plugins

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"syscall"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// Serve is what a plugin's main function calls: it serves the arbiter to the
// host that started this process and returns when the host is done with it. If
// no host started this process it says what the program is and exits with
// status 1.
//
// While it runs, log/slog writes lines to standard error that the host takes
// for structured ones; SIGTERM, SIGINT and SIGHUP are ignored, since the host
// may still need its arbiter to release; and the process exits as soon as its
// standard input ends, which is how it learns that the host is gone.
func Serve[C any](p Plugin[C]) { serve(p) }

// Serve is the method form of the function Serve, for tables of plugins.
func (p Plugin[C]) Serve() { serve(p) }

func serve(d Definition) {
	if os.Getenv(handshake.MagicCookieKey) != handshake.MagicCookieValue {
		fmt.Fprint(os.Stderr, introduction(d.Info()))
		os.Exit(1)
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: wantedLevel()})))
	s, err := newServer(d)
	if err != nil {
		slog.Error("this plugin's configuration struct is wrong; its author must fix it", "error", err)
		os.Exit(1)
	}
	nameProcess("arbiter-" + d.Info().Name)
	outliveSignals()
	go exitWithHost(os.Stdin)
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         goplugin.PluginSet{arbiterPlugin: boundary{server: s}},
		GRPCServer:      newGRPCServer,
		Logger: hclog.New(&hclog.LoggerOptions{
			Output: os.Stderr, JSONFormat: true, Level: hclog.Warn, Name: "go-plugin",
		}),
	})
	if err := s.close(); err != nil {
		slog.Warn("closing the arbiter", "error", err)
	}
}

func newGRPCServer(options []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options,
		grpc.MaxConcurrentStreams(math.MaxUint32),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage))...)
}

// logLevel is the environment variable that says which lines the host wants.
const logLevel = "ELECTD_PLUGIN_LOG"

func wantedLevel() slog.Level {
	switch levelNamed(os.Getenv(logLevel)) {
	case hclog.Trace, hclog.Debug:
		return slog.LevelDebug
	case hclog.Warn:
		return slog.LevelWarn
	case hclog.Error:
		return slog.LevelError
	}
	return slog.LevelInfo
}

// maxMessage bounds one message, in bytes: far above any record, far below what
// would hurt.
const maxMessage = 16 << 20

func introduction(i Info) string {
	return fmt.Sprintf(`%s %s is an arbiter plugin of electd: %s
It is not run by hand. Put it into electd's plugin directory as electd-arbiter-%s
and name it in the configuration: arbiter %q { … }
`, i.Name, i.Version, i.Doc, i.Name, i.Name)
}

// outliveSignals makes the signals that end a process group, or a service's
// whole control group, pass this process by.
func outliveSignals() {
	ignored := make(chan os.Signal, 8)
	signal.Notify(ignored, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		for s := range ignored {
			slog.Debug("signal ignored: the host decides when the plugin ends", "signal", s.String())
		}
	}()
}

// exitWithHost ends the process when its standard input does: the host holds
// the other end and writes nothing, so an end means that the host is gone.
func exitWithHost(stdin io.Reader) {
	_, _ = io.Copy(io.Discard, stdin)
	os.Exit(3)
}
