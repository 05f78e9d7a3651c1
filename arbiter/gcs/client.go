package gcs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/httptransport"
	"cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"github.com/electd/electd/core"
)

// findCredentials returns where tokens come from: the configured file, else
// application default credentials; nil if requests carry none.
func findCredentials(c Config) (*auth.Credentials, error) {
	options := &credentials.DetectOptions{Scopes: []string{storage.ScopeReadWrite}}
	switch {
	case c.anonymous():
		return nil, nil
	case c.CredentialsFile != "":
		return credentialsOf(c.CredentialsFile, options)
	}
	found, err := credentials.DetectDefault(options)
	if err != nil {
		return nil, &core.AttributeError{
			Attribute: "credentials_file", Problem: "is not set, and there are no application default credentials", Err: err,
			Advice: "set it, or GOOGLE_APPLICATION_CREDENTIALS, or run where Google provides credentials",
		}
	}
	return found, nil
}

// kinds are the credentials a file may hold, by what it says in "type".
var kinds = []credentials.CredType{
	credentials.ServiceAccount, credentials.ExternalAccount, credentials.ImpersonatedServiceAccount,
	credentials.AuthorizedUser, credentials.ExternalAccountAuthorizedUser,
}

// credentialsOf reads a file of credentials.
func credentialsOf(file string, options *credentials.DetectOptions) (*auth.Credentials, error) {
	unusable := func(problem string, err error) error {
		return &core.AttributeError{
			Attribute: "credentials_file", Problem: problem, Err: err,
			Advice: "it must be a service account key or an external account's configuration, in JSON",
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, wrong("credentials_file", err.Error(), "name a readable JSON file")
	}
	var content struct{ Type credentials.CredType }
	if err := json.Unmarshal(text, &content); err != nil {
		return nil, unusable(file+" is no JSON", err)
	}
	if !slices.Contains(kinds, content.Type) {
		return nil, unusable(fmt.Sprintf("%s holds credentials of type %q", file, content.Type), nil)
	}
	found, err := credentials.NewCredentialsFromJSON(content.Type, text, options)
	if err != nil {
		return nil, unusable(file+" holds no usable credentials", err)
	}
	return found, nil
}

// newClient makes the SDK's client: one attempt a call, on our own wire.
func newClient(ctx context.Context, c Config, w *wire, found *auth.Credentials) (*storage.Client, error) {
	hc := &http.Client{Transport: w, CheckRedirect: stay}
	options := []option.ClientOption{option.WithHTTPClient(hc), storage.WithJSONReads(), storage.WithDisabledClientMetrics()}
	if found == nil {
		options = append(options, option.WithoutAuthentication())
	} else {
		if err := httptransport.AddAuthorizationMiddleware(hc, found); err != nil {
			return nil, err
		}
		options = append(options, option.WithAuthCredentials(found)) // else it looks for others
	}
	if c.Endpoint != "" {
		options = append(options, option.WithEndpoint(c.Endpoint+"/storage/v1/"))
	}
	client, err := storage.NewClient(ctx, options...)
	if err != nil {
		return nil, err
	}
	client.SetRetry(storage.WithPolicy(storage.RetryNever))
	return client, nil
}

// stay keeps the client from following redirects: they are errors of the
// configuration.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
