package pki

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/electd/electd/core"
)

// LoadPair reads a certificate and its key. Errors are *core.AttributeError and
// name tls.cert_file or tls.key_file.
func LoadPair(certFile, keyFile string) (tls.Certificate, error) {
	certPEM, err := ReadFile("tls.cert_file", certFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	keyPEM, err := ReadFile("tls.key_file", keyFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return tls.Certificate{}, pairError(certFile, keyFile, err)
	}
	return pair, nil
}

// ReadFile reads the file that an attribute names. Errors are
// *core.AttributeError.
func ReadFile(attribute, path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // reading a pipe could wait for ever
		return nil, &core.AttributeError{Attribute: attribute, Problem: path + " is no regular file", Advice: "name a file"}
	}
	var data []byte
	if err == nil {
		if data, err = os.ReadFile(path); err == nil {
			return data, nil
		}
	}
	problem := &core.AttributeError{Attribute: attribute, Problem: "cannot be read", Err: err}
	if errors.Is(err, fs.ErrNotExist) {
		problem.Advice = "correct the path, or make the files with electd tls init"
	}
	return nil, problem
}

func pairError(certFile, keyFile string, err error) error {
	text := err.Error()
	if strings.Contains(text, "does not match") {
		return &core.AttributeError{Attribute: "tls.key_file", Problem: fmt.Sprintf("%s is not the key of %s", keyFile, certFile)}
	}
	if strings.Contains(text, "key input") || strings.Contains(text, "private key") && !strings.Contains(text, "certificate input") {
		return &core.AttributeError{Attribute: "tls.key_file", Problem: keyFile + " holds no usable key", Err: err}
	}
	return &core.AttributeError{Attribute: "tls.cert_file", Problem: certFile + " holds no usable certificate", Err: err}
}
