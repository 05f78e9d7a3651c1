package strict3

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// maxBody is the largest body accepted: this store keeps all in memory.
const maxBody = 64 << 20

// readBody reads the request's body and checks its digests.
func (s *Server) readBody(r *request) *failure {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fail(http.StatusBadRequest, "IncompleteBody", "You did not provide the number of bytes specified by the Content-Length header")
	case err != nil:
		return fail(http.StatusBadRequest, "RequestTimeout", "Your socket connection to the server was not read from or written to within the timeout period.")
	case len(body) > maxBody:
		return fail(http.StatusBadRequest, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
	}
	digest := r.Header.Get("X-Amz-Content-Sha256")
	switch {
	case strings.HasPrefix(digest, "STREAMING-"):
		if body, err = unchunk(body); err != nil {
			return fail(http.StatusBadRequest, "IncompleteBody", "The chunks of the body cannot be read: "+err.Error())
		}
	case digest == "" && len(s.options.Users) > 0:
		return fail(http.StatusBadRequest, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
	case digest != "" && digest != "UNSIGNED-PAYLOAD":
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != digest {
			return fail(http.StatusBadRequest, "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed.")
		}
	}
	if want := r.Header.Get("Content-Md5"); want != "" {
		if sum := md5.Sum(body); base64.StdEncoding.EncodeToString(sum[:]) != want {
			return fail(http.StatusBadRequest, "BadDigest", "The Content-MD5 you specified did not match what we received.")
		}
	}
	r.body = body
	return nil
}

// unchunk takes the framing of aws-chunked from a body. The signatures of the
// chunks and the trailer are not checked.
func unchunk(framed []byte) ([]byte, error) {
	in := textproto.NewReader(bufio.NewReader(bytes.NewReader(framed)))
	var body []byte
	for {
		line, err := in.ReadLine()
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseUint(size, 16, 31)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return body, nil
		}
		chunk := make([]byte, n+2) // the data and its line end
		if _, err := io.ReadFull(in.R, chunk); err != nil {
			return nil, err
		}
		body = append(body, chunk[:n]...)
	}
}

// hasChecksum tells whether a request carries a checksum of its body, which a
// bucket with object lock demands.
func hasChecksum(h http.Header) bool {
	if h.Get("Content-Md5") != "" || h.Get("X-Amz-Trailer") != "" {
		return true
	}
	for name := range h {
		if strings.HasPrefix(name, "X-Amz-Checksum-") {
			return true
		}
	}
	return false
}
