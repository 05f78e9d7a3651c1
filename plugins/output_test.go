package plugins_test

import (
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/plugins"
)

// A start that fails says what the plugin printed.
func TestFailedStartQuotesThePlugin(t *testing.T) {
	cases := []struct{ behaviour, want string }{
		{"print", `it printed "hello, I am no plugin" on standard output`},
		{"die", "exit status 4; it printed: cannot find libfoo.so.3"},
		{"mute", "not ready in time"},
		{"future", "speaks version 2 of the plugin protocol, and this electd speaks version 1"},
		{"flood", "(92000 more bytes)"},
	}
	for _, c := range cases {
		t.Run(c.behaviour, func(t *testing.T) {
			spec, _ := specFor(t, c.behaviour)
			spec.Timeouts.Start = patient
			if c.behaviour == "mute" {
				spec.Timeouts.Start = 300 * time.Millisecond
			}
			_, err := plugins.Launch(t.Context(), spec)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
			if err != nil && len(err.Error()) > 4000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// Lines of megabytes, before and after the handshake, on both streams, neither
// block the plugin nor flood the log.
func TestHugeLinesDoNotBlock(t *testing.T) {
	spec, log := specFor(t, "huge")
	h := launch(t, spec, nil)
	if _, err := h.Arbiter().Read(t.Context(), "k"); err != nil {
		t.Error(err)
	}
	await(t, "the last line", func() bool { return strings.Contains(log.String(), "written to the end") })
	if n := len(log.String()); n > 1<<20 {
		t.Errorf("%d bytes of log", n)
	}
}

func TestPrintedLinesBecomeLogLines(t *testing.T) {
	spec, log := specFor(t, "talk")
	launch(t, spec, nil)
	for _, want := range []string{
		"[INFO]  plugin: a plain line: plugin=memory",
		"[WARN]  plugin: [WARN] by prefix",
		"[ERROR] plugin: ERROR:root:as Python prints it",
		"[WARN]  plugin: time=now level=warn msg=logfmt",
		"[WARN]  plugin: by slog: plugin=memory n=3",
		"[ERROR] plugin: by hclog: plugin=memory module=a",
		"[DEBUG] plugin: quietly: plugin=memory",
		"[INFO]  plugin: printed to standard output: plugin=memory stream=stdout",
		"[ERROR] plugin: panic: oh no",
		"[ERROR] plugin: goroutine 1 [running]:",
	} {
		await(t, want, func() bool { return strings.Contains(log.String(), want) })
	}
}

// What the configuration marks as sensitive is neither in the log nor in errors.
func TestSecretsAreHidden(t *testing.T) {
	const secret = `hunter"22`
	spec, log := specFor(t, "memory")
	h := launch(t, spec, plugins.Values{"secret": secret, "say": "I was told " + secret, "fail": "secret"})
	_, err := h.Arbiter().Read(t.Context(), "k")
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "(sensitive)") {
		t.Errorf("the error is %v", err)
	}
	await(t, "the plugin's line", func() bool { return strings.Contains(log.String(), "I was told (sensitive)") })
	if strings.Contains(log.String(), secret) {
		t.Error("the secret is in the log")
	}
}

// A panic while the arbiter is opened is quoted, without secrets.
func TestPanicInConfigureIsQuoted(t *testing.T) {
	spec, _ := specFor(t, "memory")
	h, err := plugins.Launch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = h.Configure(t.Context(), plugins.Values{"label": "panic", "secret": "hunter22"})
	if err == nil || !strings.Contains(err.Error(), "exit status 2; it printed: panic: no way with (sensitive)") {
		t.Errorf("the error is %v", err)
	}
}
