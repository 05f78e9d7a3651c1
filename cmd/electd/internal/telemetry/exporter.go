package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Config says where traces go, and what they are of.
type Config struct {
	// Endpoint is the collector's base URL, to which /v1/traces is added. Empty:
	// what OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT say.
	Endpoint   string
	Deployment string // tells deployments apart whose elections have the same names
	Node       string
	Version    string
	Log        hclog.Logger
}

// Check says what is wrong with a Config.
func (c Config) Check() error {
	if c.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("endpoint %q is no URL of the form http://host:port", c.Endpoint)
	}
	return nil
}

// Wanted reports whether the configuration or the environment asks for traces.
func (c Config) Wanted() bool {
	return c.Endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Exporter hands spans to a collector. What the collector does not take is lost:
// nothing waits for it.
type Exporter struct {
	deployment string
	provider   *sdk.TracerProvider
	tracer     trace.Tracer
}

// exportEvery is how long a span waits for others to leave with.
const exportEvery = time.Second

// New starts to export. It does not need the collector to be there. Headers,
// certificates and the like are taken from the environment, as OpenTelemetry has
// them (OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_CERTIFICATE, …).
func New(ctx context.Context, c Config) (*Exporter, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	complain(c.Log)
	var options []otlptracehttp.Option
	if c.Endpoint != "" {
		options = append(options, otlptracehttp.WithEndpointURL(strings.TrimSuffix(c.Endpoint, "/")+"/v1/traces"))
	}
	client, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, err
	}
	attributes := []attribute.KeyValue{
		attribute.String("service.name", "electd"), attribute.String("service.version", c.Version),
		attribute.String("service.instance.id", c.Node),
	}
	if c.Deployment != "" {
		attributes = append(attributes, attribute.String("deployment.environment.name", c.Deployment))
	}
	about, err := resource.New(ctx, resource.WithAttributes(attributes...), resource.WithFromEnv(), resource.WithHost())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, errors.Join(err, client.Shutdown(ctx))
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(client, sdk.WithBatchTimeout(exportEvery)), sdk.WithIDGenerator(ids{}), sdk.WithResource(about),
	)
	return &Exporter{deployment: c.Deployment, provider: provider, tracer: provider.Tracer("electd")}, nil
}

// Close exports what is left, within ctx.
func (e *Exporter) Close(ctx context.Context) error { return e.provider.Shutdown(ctx) }

// complainAgain is how often it is said that traces are lost.
const complainAgain = 10 * time.Minute

// complain has the SDK's errors, which it knows only one place for in a process,
// logged now and then.
func complain(log hclog.Logger) {
	var mu sync.Mutex
	var last time.Time
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < complainAgain {
			log.Debug("traces are still lost", "error", err)
			return
		}
		last = time.Now()
		log.Warn("traces are lost: the collector does not take them", "error", err)
	}))
}
