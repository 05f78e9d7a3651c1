package strict3

import (
	"fmt"
	"net/http"
)

// operation is one of the API's operations.
type operation struct {
	action      string // that a policy may deny
	needsBucket bool
	serve       func(*Server, http.ResponseWriter, *request, *bucket) *failure
}

// Subresources that select an operation, and those that are understood as
// parameters only.
var (
	bucketReads = map[string]operation{
		"versioning":  {"s3:GetBucketVersioning", true, (*Server).getVersioning},
		"object-lock": {"s3:GetBucketObjectLockConfiguration", true, (*Server).getObjectLock},
		"lifecycle":   {"s3:GetLifecycleConfiguration", true, (*Server).getLifecycle},
		"location":    {"s3:GetBucketLocation", true, (*Server).getLocation},
		"versions":    {"s3:ListBucketVersions", true, (*Server).listVersions},
	}
	unsupported = []string{
		"acl", "cors", "encryption", "logging", "notification", "policy", "replication", "tagging", "uploads",
		"uploadId", "website", "delete", "retention", "legal-hold", "torrent", "select", "attributes",
	}
)

// route returns the operation a request asks for; nil if there is none.
func route(r *request) *operation {
	query := r.URL.Query()
	for _, name := range unsupported {
		if query.Has(name) {
			return nil
		}
	}
	switch {
	case r.bucket == "":
		return pick(r.Method, map[string]operation{http.MethodGet: {"s3:ListAllMyBuckets", false, (*Server).listBuckets}})
	case r.key == "":
		return routeBucket(r)
	case r.Header.Get("X-Amz-Copy-Source") != "":
		return nil
	}
	suffix := ""
	if query.Get("versionId") != "" {
		suffix = "Version"
	}
	return pick(r.Method, map[string]operation{
		http.MethodGet:    {"s3:GetObject" + suffix, true, (*Server).getObject},
		http.MethodHead:   {"s3:GetObject" + suffix, true, (*Server).getObject},
		http.MethodPut:    {"s3:PutObject", true, (*Server).putObject},
		http.MethodDelete: {"s3:DeleteObject" + suffix, true, (*Server).deleteObject},
	})
}

func routeBucket(r *request) *operation {
	if r.Method == http.MethodGet {
		for name, op := range bucketReads {
			if r.URL.Query().Has(name) {
				return &op
			}
		}
	}
	return pick(r.Method, map[string]operation{
		http.MethodGet:    {"s3:ListBucket", true, (*Server).listObjects},
		http.MethodHead:   {"s3:ListBucket", true, (*Server).headBucket},
		http.MethodPut:    {"s3:CreateBucket", false, (*Server).makeBucket},
		http.MethodDelete: {"s3:DeleteBucket", true, (*Server).removeBucket},
	})
}

func pick(method string, among map[string]operation) *operation {
	if op, ok := among[method]; ok {
		return &op
	}
	return nil
}

// permit refuses what the policy denies.
func (s *Server) permit(r *request, action string) *failure {
	if s.options.Deny == nil || !s.options.Deny(action, r.resource()) {
		return nil
	}
	return denied(r, action)
}

func denied(r *request, action string) *failure {
	who := r.from
	if who == "" {
		who = "anonymous"
	}
	return fail(http.StatusForbidden, "AccessDenied", fmt.Sprintf(
		"User: arn:aws:iam::000000000000:user/%s is not authorized to perform: %s on resource: %q because an explicit policy denies it",
		who, action, r.resource()))
}
