package webtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// browser is one tab of a headless Chromium.
type browser struct {
	t       *testing.T
	ctx     context.Context
	reading sync.WaitGroup

	mu       sync.Mutex
	problems []string // what the page's console complains of
}

// chromium is the one browser of all tests, started for the first; each has a tab
// of its own.
var chromium = sync.OnceValues(func() (context.Context, error) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		return nil, errors.New("chromium is not installed: run scripts/install-chromium.sh")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	)
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Do(ctx) // starts it
})

func TestMain(m *testing.M) {
	code := m.Run()
	if ctx, err := chromium(); err == nil {
		chromedp.Cancel(ctx)
	}
	os.Exit(code)
}

// open opens a tab at a URL.
func open(t *testing.T, url string) *browser {
	t.Helper()
	window, err := chromium()
	switch {
	case err != nil && os.Getenv("ELECTD_TEST_NO_SKIP") != "":
		t.Fatal(err)
	case err != nil:
		t.Skip("SKIPPED: " + err.Error())
	}
	ctx, cancel := chromedp.NewContext(window)
	b := &browser{t: t, ctx: ctx}
	console := chromedp.Console(ctx) // opens the tab, which lives as long as ctx
	b.reading.Go(func() { b.read(console) })
	t.Cleanup(func() {
		cancel()
		b.reading.Wait()
	})
	b.see(desk)
	b.do(chromedp.Navigate(url))
	return b
}

// read notes what goes wrong on the page. That a daemon which was killed does not
// answer is none of it.
func (b *browser) read(console iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range console {
		if err != nil {
			return
		}
		if m.Source != "network" {
			b.mu.Lock()
			b.problems = append(b.problems, m.String())
			b.mu.Unlock()
		}
	}
}

// clean fails the test if the page has complained: of an exception, or of what
// its content security policy forbids.
func (b *browser) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("the page complains: %s", p)
	}
}

// patience is how long anything on the page may take on a busy machine.
const patience = 20 * time.Second

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns what a JavaScript expression gives.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// command sends a command of the browser's protocol.
func command[P, R any](b *browser, c cdp.Command[P, R], params P) R {
	b.t.Helper()
	out, err := chromedp.Call(b.ctx, c, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// text returns an element's text, trimmed.
func (b *browser) text(id string) string {
	b.t.Helper()
	return strings.TrimSpace(eval[string](b, fmt.Sprintf("document.getElementById(%q).textContent", id)))
}

// await waits until an element's text is as wanted.
func (b *browser) await(id, what string, wanted func(string) bool) string {
	b.t.Helper()
	var last string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if last = b.text(id); wanted(last) {
			return last
		}
	}
	b.t.Fatalf("#%s says %q, want %s", id, last, what)
	return ""
}

func (b *browser) awaitText(id, want string) {
	b.t.Helper()
	b.await(id, fmt.Sprintf("%q", want), func(s string) bool { return s == want })
}

// look is how somebody looks at the page.
type look struct {
	width, height int64
	scheme        string // light or dark
}

var (
	desk  = look{1280, 900, "light"}
	night = look{1280, 900, "dark"}
	phone = look{390, 844, "light"}
)

func (b *browser) see(l look) {
	b.t.Helper()
	command(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: l.width, Height: l.height, DeviceScaleFactor: 2, Mobile: l.width < 600,
	})
	command(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}},
	})
}

// shoot takes a picture of the whole page into the folder that ELECTD_SCREENSHOTS
// names, if any.
func (b *browser) shoot(name string) {
	b.t.Helper()
	folder := os.Getenv("ELECTD_SCREENSHOTS")
	if folder == "" {
		return
	}
	time.Sleep(400 * time.Millisecond) // let colours settle
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
