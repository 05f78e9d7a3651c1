package strict3

import (
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// bucket holds objects.
type bucket struct {
	setup   Bucket
	created time.Time

	mu      sync.RWMutex
	objects map[string]*object
}

// object is everything stored under one key: its versions, oldest first. In an
// unversioned bucket there is at most one.
type object struct {
	versions []stored
	changes  uint64 // counts writes and deletes; shows what happened to a write in flight
}

// stored is one version, or a delete marker.
type stored struct {
	id       string // "null" in an unversioned bucket
	marker   bool
	etag     string // quoted
	body     []byte
	kind     string // content type
	modified time.Time
}

// current returns the object's newest version; nil if there is none or it is a
// delete marker.
func (o *object) current() *stored {
	if o == nil || len(o.versions) == 0 || o.versions[len(o.versions)-1].marker {
		return nil
	}
	return &o.versions[len(o.versions)-1]
}

// deleted tells whether the newest version is a delete marker.
func (o *object) deleted() bool {
	return o != nil && len(o.versions) > 0 && o.versions[len(o.versions)-1].marker
}

// version returns one version by its id; nil if there is none.
func (o *object) version(id string) *stored {
	if o == nil {
		return nil
	}
	for i := range o.versions {
		if o.versions[i].id == id {
			return &o.versions[i]
		}
	}
	return nil
}

// changesOf returns how often the key was changed.
func (b *bucket) changesOf(key string) uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if o := b.objects[key]; o != nil {
		return o.changes
	}
	return 0
}

// add makes v the object's newest version. b.mu is held.
func (b *bucket) add(key string, v stored) stored {
	o := b.objects[key]
	if o == nil {
		o = &object{}
		b.objects[key] = o
	}
	o.changes++
	if b.setup.Versioned {
		v.id = randomHex(16)
		o.versions = append(o.versions, v)
	} else {
		v.id = "null"
		o.versions = []stored{v}
	}
	return v
}

func randomHex(n int) string {
	id := make([]byte, n)
	_, _ = rand.Read(id)
	return hex.EncodeToString(id)
}

// getObject is GetObject and HeadObject.
func (s *Server) getObject(w http.ResponseWriter, r *request, b *bucket) *failure {
	b.mu.RLock()
	defer b.mu.RUnlock()
	o := b.objects[r.key]
	v := o.current()
	id := r.URL.Query().Get("versionId")
	if id != "" {
		v = o.version(id)
	}
	switch {
	case v == nil && id != "":
		return fail(http.StatusNotFound, "NoSuchVersion", "The specified version does not exist.").with("Key", r.key)
	case v == nil:
		if o.deleted() {
			w.Header().Set("X-Amz-Delete-Marker", "true")
		}
		// Who may not list must not learn what exists.
		if err := s.permit(&request{Request: r.Request, bucket: r.bucket, from: r.from}, "s3:ListBucket"); err != nil {
			return err
		}
		return fail(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.").with("Key", r.key)
	case v.marker:
		w.Header().Set("X-Amz-Delete-Marker", "true")
		return fail(http.StatusMethodNotAllowed, "MethodNotAllowed", "The specified method is not allowed against this resource.")
	}
	describe(w, b, v)
	if err := readCondition(r.Header, v); err != nil {
		return err
	}
	w.Header().Set("Content-Type", v.kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(v.body)))
	w.Header().Set("Accept-Ranges", "none")
	if r.Method != http.MethodHead {
		_, _ = w.Write(v.body)
	}
	return nil
}

// describe sets the headers that say which version an answer is about.
func describe(w http.ResponseWriter, b *bucket, v *stored) {
	w.Header().Set("ETag", v.etag)
	w.Header().Set("Last-Modified", v.modified.UTC().Format(http.TimeFormat))
	if b.setup.Versioned {
		w.Header().Set("X-Amz-Version-Id", v.id)
	}
}

// putObject is PutObject. A conditional one is in flight from its arrival until
// it is evaluated; what changes the key meanwhile makes it a conflict.
func (s *Server) putObject(w http.ResponseWriter, r *request, b *bucket) *failure {
	if err := s.checkPut(r, b); err != nil {
		return err
	}
	before := b.changesOf(r.key)
	if conditional(r.Header) && s.options.InFlight > 0 {
		time.Sleep(s.options.InFlight)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.objects[r.key]
	if err := writeCondition(r.Header, o); err != nil {
		if o != nil && o.changes != before && err.code == "PreconditionFailed" {
			return fail(http.StatusConflict, "ConditionalRequestConflict", "A conflicting operation occurred while this one was in flight. Retry it.").with("Key", r.key)
		}
		return err
	}
	kind := r.Header.Get("Content-Type")
	if kind == "" {
		kind = "binary/octet-stream"
	}
	encryption := r.Header.Get("X-Amz-Server-Side-Encryption")
	v := b.add(r.key, stored{etag: etag(r.body, encryption), body: r.body, kind: kind, modified: s.options.Now()})
	if encryption != "" {
		w.Header().Set("X-Amz-Server-Side-Encryption", encryption)
	}
	describe(w, b, &v)
	w.Header().Del("Last-Modified")
	return nil
}

// checkPut refuses a PUT that no state of the bucket would allow.
func (s *Server) checkPut(r *request, b *bucket) *failure {
	switch {
	case len(r.key) > 1024:
		return fail(http.StatusBadRequest, "KeyTooLongError", "Your key is too long")
	case b.setup.ObjectLock && !hasChecksum(r.Header):
		return fail(http.StatusBadRequest, "InvalidRequest", "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters")
	}
	if r.Header.Get("If-Match") != "" { // evaluating it tells what is stored
		return s.permit(r, "s3:GetObject")
	}
	return nil
}

// etag is the digest of the body, or a random tag where a KMS key encrypts it.
func etag(body []byte, encryption string) string {
	if strings.HasPrefix(encryption, "aws:kms") {
		return `"` + randomHex(16) + `"`
	}
	sum := md5.Sum(body)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// deleteObject is DeleteObject: it removes one version, or the object, or puts a
// delete marker on it.
func (s *Server) deleteObject(w http.ResponseWriter, r *request, b *bucket) *failure {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.objects[r.key]
	if id := r.URL.Query().Get("versionId"); id != "" {
		if b.setup.ObjectLock && o.version(id) != nil && !o.version(id).marker {
			return fail(http.StatusForbidden, "AccessDenied", "Access Denied because object protected by object lock.")
		}
		b.removeVersion(r.key, id)
		w.Header().Set("X-Amz-Version-Id", id)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err := deleteCondition(r.Header, o); err != nil {
		return err
	}
	switch {
	case b.setup.Versioned:
		v := b.add(r.key, stored{marker: true, modified: s.options.Now()})
		w.Header().Set("X-Amz-Delete-Marker", "true")
		w.Header().Set("X-Amz-Version-Id", v.id)
	case o != nil:
		o.changes++
		o.versions = nil
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// removeVersion takes one version out for good. b.mu is held.
func (b *bucket) removeVersion(key, id string) {
	o := b.objects[key]
	if o == nil {
		return
	}
	for i, v := range o.versions {
		if v.id == id {
			o.versions = append(o.versions[:i:i], o.versions[i+1:]...)
			o.changes++
			return
		}
	}
}
