package strict3

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strconv"
)

// failure is an error answer.
type failure struct {
	status  int
	code    string
	message string
	details [][2]string
}

func fail(status int, code, message string) *failure {
	return &failure{status: status, code: code, message: message}
}

// with adds an element to the answer.
func (f *failure) with(name, value string) *failure {
	f.details = append(f.details, [2]string{name, value})
	return f
}

// send answers in S3's form. An answer to HEAD has no body.
func (f *failure) send(w http.ResponseWriter, r *request) {
	var body bytes.Buffer
	body.WriteString(xml.Header + "<Error>")
	details := append([][2]string{{"Code", f.code}, {"Message", f.message}}, f.details...)
	details = append(details, [2]string{"Resource", r.URL.Path}, [2]string{"RequestId", w.Header().Get("X-Amz-Request-Id")})
	for _, d := range details {
		body.WriteString("<" + d[0] + ">")
		_ = xml.EscapeText(&body, []byte(d[1]))
		body.WriteString("</" + d[0] + ">")
	}
	body.WriteString("</Error>")

	if f.status == http.StatusNotModified {
		w.WriteHeader(f.status)
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(f.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes())
	}
}

// sendXML answers 200 with a document.
func sendXML(w http.ResponseWriter, document any) *failure {
	body, err := xml.Marshal(document)
	if err != nil {
		return fail(http.StatusInternalServerError, "InternalError", err.Error())
	}
	w.Header().Set("Content-Type", "application/xml")
	_, _ = w.Write(append([]byte(xml.Header), body...))
	return nil
}
