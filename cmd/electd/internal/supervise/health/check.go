package health

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/electd/electd/cmd/electd/internal/supervise/command"
	"github.com/electd/electd/cmd/electd/internal/supervise/environ"
	"github.com/electd/electd/cmd/electd/internal/supervise/logline"
)

// run asks the command. Its last words are part of the error.
func (c Config) run(ctx context.Context) error {
	var last string
	output := &logline.Writer{Emit: func(line string) {
		c.Log.Debug(line, "health", c.Command[0])
		if line != "" {
			last = line
		}
	}}
	err := command.Run(ctx, command.Command{
		Args:   c.Command,
		Dir:    c.Dir,
		Env:    environ.Build(c.Env, c.Set...),
		Output: output,
		Mortal: true,
	})
	output.Close()
	switch {
	case err == nil:
		return nil
	case last != "":
		return fmt.Errorf("command %s: %w: %s", c.Command[0], err, short(last))
	default:
		return fmt.Errorf("command %s: %w", c.Command[0], err)
	}
}

// client makes a new connection for every request: a kept one says nothing
// about whether the service still takes connections. No proxy: what is asked is
// this node.
var client = http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// get asks by HTTP.
func (c Config) get(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.HTTP, nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "electd")
	answer, err := client.Do(request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("GET %s: %w", c.HTTP, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 == 2 {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 4096)) // only for the message
	if text := short(string(body)); text != "" {
		return fmt.Errorf("GET %s: %s: %s", c.HTTP, answer.Status, text)
	}
	return fmt.Errorf("GET %s: %s", c.HTTP, answer.Status)
}

// short is the first line of a text, cut where it gets long.
func short(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return strings.ToValidUTF8(strings.TrimSpace(line), "\uFFFD")
}
