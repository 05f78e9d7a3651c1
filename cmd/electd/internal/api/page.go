package api

import (
	"embed"
	"net/http"
	"path"
)

// web is the page, as it is sent: no build step, nothing from elsewhere.
//
//go:embed web
var web embed.FS

// contentSecurityPolicy lets the page load its own files, talk to where it
// came from, and nothing else. Nothing inline runs.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const script = "text/javascript; charset=utf-8"

// files are the page's files: where they are found, and as what they are sent.
var files = []struct{ path, file, kind string }{
	{"/{$}", "index.html", "text/html; charset=utf-8"},
	{"/style.css", "style.css", "text/css; charset=utf-8"},
	{"/page.js", "page.js", script},
	{"/view.js", "view.js", script},
	{"/operate.js", "operate.js", script},
	{"/api.js", "api.js", script},
	{"/format.js", "format.js", script},
	{"/icon.svg", "icon.svg", "image/svg+xml"},
}

func page() []route {
	var out []route
	for _, f := range files {
		content, err := web.ReadFile(path.Join("web", f.file))
		if err != nil {
			panic(err) // the file is embedded above
		}
		out = append(out, route{"GET", f.path, bounded(static(f.kind, content))})
	}
	return out
}

func static(kind string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Write(content)
	}
}
