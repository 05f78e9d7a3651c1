package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// instance is one start of a plugin: its process and the connection to it. An
// instance is never repaired; when anything about it fails, the host starts
// another.
type instance struct {
	spec    Spec
	process *process
	client  *goplugin.Client
	conn    *grpc.ClientConn
	plugin  pb.PluginClient
	arbiter pb.ArbiterClient
	health  grpc_health_v1.HealthClient

	info   Info
	schema Schema
	can    Capabilities // set by configure

	dialled atomic.Bool
	secrets secrets
	calls   sync.WaitGroup // in flight
	minders sync.WaitGroup // what looks after process and connection
	streams []io.Closer    // ends of go-plugin's own output streams
	since   time.Time

	serving context.Context // of watches: ends with retire
	retire  context.CancelFunc

	once sync.Once
	lost chan struct{} // closed when the instance is of no more use
	why  error         // set before lost is closed
}

// start launches the process and asks it what it is.
func start(ctx context.Context, spec Spec, img *image) (*instance, error) {
	ctx, cancel := context.WithTimeout(ctx, spec.Timeouts.Start)
	defer cancel()
	dir, err := newSocketDir(spec.SocketDir)
	if err != nil {
		return nil, err
	}
	defer dir.remove() // a standing connection needs no socket on disk
	program := img.program()
	i := &instance{spec: spec, lost: make(chan struct{}), since: time.Now()}
	i.serving, i.retire = context.WithCancel(context.Background())
	i.process = newProcess(program.name, &output{log: spec.Log, secrets: &i.secrets})
	if err := i.connect(ctx, program, dir); err != nil {
		i.stop()
		return nil, i.quote(ctx, err)
	}
	if err := i.introduce(ctx); err != nil {
		i.stop()
		return nil, i.quote(ctx, err)
	}
	i.minders.Go(i.watchProcess)
	i.minders.Go(i.watchConnection)
	return i, nil
}

func (i *instance) connect(ctx context.Context, program *executable, dir *socketDir) error {
	stdout, stderr := newLineWriter(i.process.out.stdout), newLineWriter(i.process.out.stderr)
	i.streams = []io.Closer{stdout, stderr}
	i.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  handshake,
		Plugins:          goplugin.PluginSet{arbiterPlugin: boundary{}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         !i.spec.Plaintext,
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: dir.path},
		StartTimeout:     2 * i.spec.Timeouts.Start, // ctx ends first, and we know why
		Logger:           quiet(i.spec.Log),
		SyncStdout:       stdout,
		SyncStderr:       stderr,
		GRPCDialOptions:  append(slices.Clone(dialOptions), grpc.WithContextDialer(i.dial)),
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			// Not in the directory go-plugin has made inside ours: that would
			// cost 21 of the 107 bytes that a socket's path may have.
			handshake := append(cmd.Env, goplugin.EnvUnixSocketDir+"="+dir.path)
			i.process.cmd = command(i.spec, program, handshake)
			if i.spec.Plaintext {
				i.process.plaintext = dir.path
			}
			return i.process, nil
		},
	})
	met := context.AfterFunc(ctx, i.process.kill)
	defer met()
	protocol, err := i.client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(arbiterPlugin)
	if err != nil {
		return err
	}
	i.conn = raw.(*grpc.ClientConn)
	i.plugin = pb.NewPluginClient(i.conn)
	i.arbiter = pb.NewArbiterClient(i.conn)
	i.health = grpc_health_v1.NewHealthClient(i.conn)
	return nil
}

// dial connects to the plugin, once: afterwards the instance is lost with its
// connection. The socket's path is free again then, and whoever listens there
// would be somebody else.
func (i *instance) dial(ctx context.Context, _ string) (net.Conn, error) {
	if !i.dialled.CompareAndSwap(false, true) {
		return nil, errors.New("the plugin's one connection was made before")
	}
	network, address := i.process.address()
	return new(net.Dialer).DialContext(ctx, network, address)
}

// dialOptions: nothing is ever tried twice, and the one connection stands for
// as long as the process does.
var dialOptions = []grpc.DialOption{
	grpc.WithDisableRetry(),
	grpc.WithDisableServiceConfig(),
	grpc.WithIdleTimeout(0),
	grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(math.MaxInt32)),
}

// quiet keeps go-plugin's own chatter out of the log: what matters of it we
// say ourselves.
func quiet(log hclog.Logger) hclog.Logger {
	if log.IsTrace() {
		return log.Named("go-plugin")
	}
	return hclog.NewNullLogger()
}

func command(spec Spec, program *executable, handshakeEnv []string) *exec.Cmd {
	cmd := &exec.Cmd{
		Path: program.path,
		Args: append([]string{program.name}, spec.Self...),
		Env:  slices.Concat(environment(os.Environ(), spec.Env), []string{logLevel + "=" + spec.Log.GetLevel().String()}, handshakeEnv),
	}
	if program.file != nil {
		cmd.ExtraFiles = []*os.File{program.file}
	}
	return cmd
}

func (i *instance) introduce(ctx context.Context) error {
	info, err := i.plugin.GetInfo(ctx, &pb.GetInfoRequest{})
	if err != nil {
		return fmt.Errorf("ask it what it is: %w", readError(err, i.secrets.hide))
	}
	i.info = Info{Name: printable(info.GetName()), Version: printable(info.GetVersion()), Doc: printable(info.GetDoc()), SDK: printable(info.GetSdk())}
	schema, err := i.plugin.GetSchema(ctx, &pb.GetSchemaRequest{})
	if err != nil {
		return fmt.Errorf("ask for its schema: %w", readError(err, i.secrets.hide))
	}
	const depth = 8
	if i.schema, err = schemaFromWire(schema.GetSchema(), depth); err != nil {
		return fmt.Errorf("its schema is wrong: %w", err)
	}
	return nil
}

// errStruck is what a start failed by that somebody else ended with SIGKILL.
var errStruck = errors.New("killed by somebody else")

type struck struct{ error }

func (struck) Is(target error) bool { return target == errStruck }

// quote adds to the error of a failed start what the plugin printed.
func (i *instance) quote(ctx context.Context, err error) error {
	if !i.process.started() {
		return err
	}
	if noise := i.process.unexpected(); noise != "" {
		return fmt.Errorf("it printed %q on standard output, where only the plugin handshake may stand first (is it an electd plugin? then print to standard error)", noise)
	}
	if v := i.process.version(); v != "" && v != protocolVersion {
		return fmt.Errorf("it speaks version %s of the plugin protocol, and this electd speaks version %s: one of the two is too old for the other", v, protocolVersion)
	}
	said := cmp.Or(i.process.out.lastWords(), "nothing")
	if ctx.Err() != nil {
		return fmt.Errorf("it was not ready in time (%w) and was killed; it printed: %s", context.Cause(ctx), said)
	}
	if state := i.process.ending(); state != "" && !i.process.wasKilled() {
		err := fmt.Errorf("it ended before it was ready: %s; it printed: %s", state, said)
		if strings.HasPrefix(state, "signal: killed") {
			return struck{err}
		}
		return err
	}
	if !i.spec.Plaintext && strings.Contains(err.Error(), "authentication handshake failed") { // gRPC has no type for it
		return fmt.Errorf("%w; if it cannot do TLS, write insecure = true into its plugin block; it printed: %s", err, said)
	}
	return fmt.Errorf("%w; it printed: %s", err, said)
}

// configure hands over the attributes. The error joins *core.AttributeErrors.
func (i *instance) configure(ctx context.Context, values Values) error {
	values, err := i.schema.Complete(values)
	if err != nil {
		return err
	}
	i.secrets.know(i.schema, values)
	ctx, cancel := context.WithTimeout(ctx, i.spec.Timeouts.Configure)
	defer cancel()
	answer, err := i.plugin.Configure(ctx, &pb.ConfigureRequest{Attributes: valuesToWire(values)})
	if err != nil {
		return i.endedBy(ctx, err)
	}
	i.can = capabilitiesFromWire(answer.GetCapabilities())
	return diagnosed(answer.GetDiagnostics(), i.secrets.hide)
}

// endedBy turns the error of Configure into a coded one. If the process ended by it,
// that and what it printed say more than the connection's error does.
func (i *instance) endedBy(ctx context.Context, err error) error {
	// The supervisor may have closed the connection by now.
	if code := status.Code(err); ctx.Err() == nil && (code == codes.Unavailable || code == codes.Canceled) {
		select {
		case <-i.process.exited:
			said := cmp.Or(i.process.out.lastWords(), "nothing")
			return fmt.Errorf("%w: the plugin ended while it was configured: %s; it printed: %s", core.ErrUnavailable, i.process.ending(), said)
		case <-time.After(2 * drainTime):
		}
	}
	return readError(err, i.secrets.hide)
}

// lose declares the instance of no more use. Only the first reason counts.
func (i *instance) lose(why error) {
	i.once.Do(func() {
		i.why = why
		close(i.lost)
	})
}

func (i *instance) watchProcess() {
	<-i.process.exited
	i.lose(fmt.Errorf("the plugin's process ended: %s", i.process.ending()))
}

// watchConnection treats a broken connection like a dead process: the socket is
// gone from disk, nobody could dial it again.
func (i *instance) watchConnection() {
	for state := i.conn.GetState(); state != connectivity.Shutdown; state = i.conn.GetState() {
		if state != connectivity.Ready {
			i.lose(errors.New("the connection to the plugin broke"))
			return
		}
		i.conn.WaitForStateChange(context.Background(), state)
	}
	i.lose(errors.New("the connection to the plugin was closed"))
}

// check asks the plugin whether it lives, and loses it if it does not answer.
// It asks twice: when both of us were frozen, the first deadline passed unheard.
func (i *instance) check(ctx context.Context) {
	if i.ask(ctx) == nil {
		return
	}
	if err := i.ask(ctx); err != nil {
		i.lose(fmt.Errorf("the plugin does not answer: %w", err))
	}
}

// ask returns an error only if nothing came back.
func (i *instance) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, i.spec.Timeouts.Health/2)
	defer cancel()
	_, err := i.health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: goplugin.GRPCServiceName})
	// Any answer will do, even that there is no such service.
	if code := status.Code(err); code == codes.DeadlineExceeded || code == codes.Unavailable {
		return errors.New(status.Convert(err).Message())
	}
	return nil
}

// ready says whether a call can be sent at all.
func (i *instance) ready() bool {
	select {
	case <-i.lost:
		return false
	default:
		return i.conn.GetState() == connectivity.Ready
	}
}

// stop ends the process, in good order if it still listens, and waits for all
// that was started for it.
func (i *instance) stop() {
	i.lose(errors.New("the plugin was stopped"))
	i.retire()
	overdue := time.AfterFunc(i.spec.Timeouts.Stop, i.process.kill)
	defer overdue.Stop()
	i.client.Kill()
	i.process.kill()
	if i.process.started() {
		<-i.process.exited
	}
	for _, s := range i.streams {
		_ = s.Close()
	}
	i.calls.Wait()
	i.minders.Wait()
}
