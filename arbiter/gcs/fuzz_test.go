package gcs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cloud.google.com/go/auth/credentials"

	"github.com/electd/electd/core"
)

// FuzzCredentials checks that whatever is in the file that credentials_file
// names, there are credentials or an error about the attribute, that names the
// file, says what to do, and shows nothing of a private key.
func FuzzCredentials(f *testing.F) {
	const key = "c2VjcmV0c2VjcmV0"
	for _, seed := range []string{
		`{"type":"service_account","client_email":"e@p.iam.gserviceaccount.com","private_key_id":"1","private_key":"` + key + `","token_uri":"https://oauth2.example/token"}`,
		`{"type":"external_account","audience":"//iam/p","subject_token_type":"urn:ietf:params:oauth:token-type:jwt","token_url":"https://sts.example/token","credential_source":{"file":"/nothing"}}`,
		`{"type":"external_account","audience":"a","subject_token_type":"t","token_url":"https://sts.example","credential_source":{"executable":{"command":"/bin/false"}}}`,
		`{"type":"authorized_user","client_id":"i","client_secret":"s","refresh_token":"r"}`,
		`{"type":"external_account_authorized_user","audience":"a","refresh_token":"r","token_url":"https://sts.example","client_id":"i","client_secret":"s"}`,
		`{"type":"impersonated_service_account","service_account_impersonation_url":"https://iam.example/v1/projects/-/serviceAccounts/e:generateAccessToken","source_credentials":{"type":"authorized_user","client_id":"i","client_secret":"s","refresh_token":"r"}}`,
		`{"type":"impersonated_service_account","source_credentials":{"type":"impersonated_service_account"}}`,
		`{"type":"gdch_service_account"}`, `{"type":7}`, `{}`, `null`, `[]`, ``, `{"type":"service_account"`,
	} {
		f.Add([]byte(seed))
	}
	file := filepath.Join(f.TempDir(), "key.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := credentialsOf(file, &credentials.DetectOptions{Scopes: []string{"s"}})
		if err == nil {
			if found == nil {
				t.Fatalf("%q: neither credentials nor an error", text)
			}
			return
		}
		var wrong *core.AttributeError
		if found != nil || !errors.As(err, &wrong) || wrong.Attribute != "credentials_file" || wrong.Advice == "" || !strings.Contains(wrong.Problem, file) {
			t.Fatalf("%q: %v", text, err)
		}
		if strings.Contains(err.Error(), key) {
			t.Fatalf("the key is in %v", err)
		}
	})
}
