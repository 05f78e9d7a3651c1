package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/electd/electd/client"
)

// decode reads a request's body; an empty one stands for the zero value.
func decode(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	switch err := d.Decode(into); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("the request's body: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) { // More would pass over what begins with a bracket
		return errors.New("the request's body is more than one JSON value")
	}
	return nil
}

func answer(w http.ResponseWriter, code int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // nothing that is answered can cause it
		code, text = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	w.Write(append(text, '\n'))
}

func fail(w http.ResponseWriter, code int, err error) {
	answer(w, code, client.Failure{Error: err.Error()})
}
