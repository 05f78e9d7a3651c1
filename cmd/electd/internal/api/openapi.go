package api

import (
	_ "embed"
	"net/http"
)

// openapi describes the API (OpenAPI 3.1). A test holds it against the routes and
// the answers.
//
//go:embed openapi.yaml
var openapi []byte

func description(w http.ResponseWriter, r *http.Request) {
	static("application/yaml", openapi)(w, r)
}
