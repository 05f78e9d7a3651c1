package strict3

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

type listedObject struct {
	Key          string
	LastModified string
	ETag         string
	Size         int
	StorageClass string
}

type commonPrefix struct{ Prefix string }

// objectList is the answer of ListObjects and ListObjectsV2.
type objectList struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	Namespace             string   `xml:"xmlns,attr"`
	Name                  string
	Prefix                string
	Delimiter             string `xml:",omitempty"`
	MaxKeys               int
	EncodingType          string `xml:",omitempty"`
	IsTruncated           bool
	KeyCount              int    `xml:",omitempty"`
	Marker                string `xml:",omitempty"`
	NextMarker            string `xml:",omitempty"`
	ContinuationToken     string `xml:",omitempty"`
	NextContinuationToken string `xml:",omitempty"`
	StartAfter            string `xml:",omitempty"`
	Contents              []listedObject
	CommonPrefixes        []commonPrefix
}

// listObjects is ListObjects, and ListObjectsV2 with list-type=2. A position in
// the list is the last key or common prefix given.
func (s *Server) listObjects(w http.ResponseWriter, r *request, b *bucket) *failure {
	query := r.URL.Query()
	limit := 1000
	if text := query.Get("max-keys"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fail(http.StatusBadRequest, "InvalidArgument", "Provided max-keys not an integer or within integer range")
		}
		limit = min(n, limit)
	}
	second := query.Get("list-type") == "2"
	after := query.Get("marker")
	if second {
		after = max(query.Get("start-after"), query.Get("continuation-token"))
	}
	list := objectList{
		Namespace: namespace, Name: r.bucket, MaxKeys: limit, EncodingType: query.Get("encoding-type"),
		Prefix: query.Get("prefix"), Delimiter: query.Get("delimiter"),
	}
	last := b.list(&list, after)
	switch {
	case second:
		list.KeyCount = len(list.Contents) + len(list.CommonPrefixes)
		list.StartAfter, list.ContinuationToken = query.Get("start-after"), query.Get("continuation-token")
		if list.IsTruncated {
			list.NextContinuationToken = last
		}
	default:
		list.Marker = after
		if list.IsTruncated {
			list.NextMarker = last
		}
	}
	if list.EncodingType == "url" {
		encodeNames(&list)
	}
	return sendXML(w, list)
}

// list fills in what comes after a position and returns the position reached.
func (b *bucket) list(list *objectList, after string) (last string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, key := range b.keys() {
		v := b.objects[key].current()
		if v == nil || !strings.HasPrefix(key, list.Prefix) || key <= after {
			continue
		}
		folder := folderOf(key, list.Prefix, list.Delimiter)
		if folder != "" && (folder == last || folder <= after) {
			continue // it was given already
		}
		if len(list.Contents)+len(list.CommonPrefixes) == list.MaxKeys {
			list.IsTruncated = list.MaxKeys > 0
			return last
		}
		if folder != "" {
			list.CommonPrefixes = append(list.CommonPrefixes, commonPrefix{folder})
			last = folder
			continue
		}
		list.Contents = append(list.Contents, listedObject{
			Key: key, LastModified: v.modified.UTC().Format("2006-01-02T15:04:05.000Z"), ETag: v.etag, Size: len(v.body), StorageClass: "STANDARD",
		})
		last = key
	}
	return last
}

// keys returns the keys in order. b.mu is held.
func (b *bucket) keys() []string {
	keys := make([]string, 0, len(b.objects))
	for key := range b.objects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// folderOf returns the common prefix that key is listed under; empty if it is
// listed itself.
func folderOf(key, prefix, delimiter string) string {
	if delimiter == "" {
		return ""
	}
	rest := key[len(prefix):]
	i := strings.Index(rest, delimiter)
	if i < 0 {
		return ""
	}
	return prefix + rest[:i+len(delimiter)]
}

func encodeNames(list *objectList) {
	for i := range list.Contents {
		list.Contents[i].Key = encodeName(list.Contents[i].Key)
	}
	for i := range list.CommonPrefixes {
		list.CommonPrefixes[i].Prefix = encodeName(list.CommonPrefixes[i].Prefix)
	}
	for _, name := range []*string{&list.Prefix, &list.Delimiter, &list.Marker, &list.NextMarker, &list.StartAfter} {
		*name = encodeName(*name)
	}
}

func encodeName(name string) string { return strings.ReplaceAll(url.QueryEscape(name), "%2F", "/") }

// versionList is the answer of ListObjectVersions.
type versionList struct {
	XMLName     xml.Name `xml:"ListVersionsResult"`
	Namespace   string   `xml:"xmlns,attr"`
	Name        string
	Prefix      string
	MaxKeys     int
	IsTruncated bool
	Entries     []listedVersion
}

// listedVersion is a version or a delete marker, by its XML name.
type listedVersion struct {
	XMLName      xml.Name
	Key          string
	VersionId    string
	IsLatest     bool
	LastModified string
	ETag         string `xml:",omitempty"`
	Size         *int   `xml:",omitempty"`
}

// listVersions is ListObjectVersions, all in one answer.
func (s *Server) listVersions(w http.ResponseWriter, r *request, b *bucket) *failure {
	list := versionList{Namespace: namespace, Name: r.bucket, Prefix: r.URL.Query().Get("prefix"), MaxKeys: 1000}
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, key := range b.keys() {
		if !strings.HasPrefix(key, list.Prefix) {
			continue
		}
		versions := b.objects[key].versions
		for i := len(versions) - 1; i >= 0; i-- { // newest first
			v := versions[i]
			entry := listedVersion{
				XMLName: xml.Name{Local: "Version"}, Key: key, VersionId: v.id, IsLatest: i == len(versions)-1,
				LastModified: v.modified.UTC().Format(time.RFC3339), ETag: v.etag,
			}
			if v.marker {
				entry.XMLName.Local = "DeleteMarker"
			} else {
				size := len(v.body)
				entry.Size = &size
			}
			list.Entries = append(list.Entries, entry)
		}
	}
	return sendXML(w, list)
}
