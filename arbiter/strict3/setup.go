package strict3

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"time"
)

type listedBucket struct {
	Name         string
	CreationDate string
}

type bucketList struct {
	XMLName   xml.Name       `xml:"ListAllMyBucketsResult"`
	Namespace string         `xml:"xmlns,attr"`
	Owner     string         `xml:"Owner>ID"`
	Buckets   []listedBucket `xml:"Buckets>Bucket"`
}

// listBuckets is ListBuckets.
func (s *Server) listBuckets(w http.ResponseWriter, _ *request, _ *bucket) *failure {
	list := bucketList{Namespace: namespace, Owner: "strict3"}
	s.mu.RLock()
	for name, b := range s.buckets {
		list.Buckets = append(list.Buckets, listedBucket{name, b.created.UTC().Format(time.RFC3339)})
	}
	s.mu.RUnlock()
	slices.SortFunc(list.Buckets, func(a, b listedBucket) int { return strings.Compare(a.Name, b.Name) })
	return sendXML(w, list)
}

// headBucket is HeadBucket.
func (s *Server) headBucket(w http.ResponseWriter, _ *request, b *bucket) *failure {
	w.Header().Set("X-Amz-Bucket-Region", b.setup.Region)
	return nil
}

// makeBucket is CreateBucket.
func (s *Server) makeBucket(w http.ResponseWriter, r *request, _ *bucket) *failure {
	if len(r.URL.Query()) > 0 {
		return fail(http.StatusNotImplemented, "NotImplemented", "A bucket's settings cannot be changed")
	}
	if s.bucket(r.bucket) != nil {
		return fail(http.StatusConflict, "BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded and you already own it.")
	}
	s.CreateBucket(Bucket{Name: r.bucket})
	w.Header().Set("Location", "/"+r.bucket)
	return nil
}

// removeBucket is DeleteBucket.
func (s *Server) removeBucket(w http.ResponseWriter, r *request, b *bucket) *failure {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, o := range b.objects {
		if len(o.versions) > 0 {
			return fail(http.StatusConflict, "BucketNotEmpty", "The bucket you tried to delete is not empty")
		}
	}
	s.mu.Lock()
	delete(s.buckets, r.bucket)
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// getVersioning is GetBucketVersioning.
func (s *Server) getVersioning(w http.ResponseWriter, _ *request, b *bucket) *failure {
	answer := struct {
		XMLName   xml.Name `xml:"VersioningConfiguration"`
		Namespace string   `xml:"xmlns,attr"`
		Status    string   `xml:",omitempty"`
	}{Namespace: namespace}
	if b.setup.Versioned {
		answer.Status = "Enabled"
	}
	return sendXML(w, answer)
}

// getObjectLock is GetObjectLockConfiguration.
func (s *Server) getObjectLock(w http.ResponseWriter, r *request, b *bucket) *failure {
	if !b.setup.ObjectLock {
		return fail(http.StatusNotFound, "ObjectLockConfigurationNotFoundError", "Object Lock configuration does not exist for this bucket").with("BucketName", r.bucket)
	}
	answer := struct {
		XMLName   xml.Name `xml:"ObjectLockConfiguration"`
		Namespace string   `xml:"xmlns,attr"`
		Enabled   string   `xml:"ObjectLockEnabled"`
		Mode      string   `xml:"Rule>DefaultRetention>Mode"`
		Days      int      `xml:"Rule>DefaultRetention>Days"`
	}{Namespace: namespace, Enabled: "Enabled", Mode: "GOVERNANCE", Days: 1}
	return sendXML(w, answer)
}

// getLifecycle is GetBucketLifecycleConfiguration.
func (s *Server) getLifecycle(w http.ResponseWriter, r *request, b *bucket) *failure {
	if b.setup.Lifecycle == "" {
		return fail(http.StatusNotFound, "NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist").with("BucketName", r.bucket)
	}
	w.Header().Set("Content-Type", "application/xml")
	_, _ = w.Write([]byte(b.setup.Lifecycle))
	return nil
}

// getLocation is GetBucketLocation.
func (s *Server) getLocation(w http.ResponseWriter, _ *request, b *bucket) *failure {
	answer := struct {
		XMLName   xml.Name `xml:"LocationConstraint"`
		Namespace string   `xml:"xmlns,attr"`
		Region    string   `xml:",chardata"`
	}{Namespace: namespace, Region: b.setup.Region}
	if answer.Region == "us-east-1" { // the default has no name here
		answer.Region = ""
	}
	return sendXML(w, answer)
}
