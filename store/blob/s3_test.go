package blob_test

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// s3Server implements as much of S3 as the client uses: objects, ranges, uploads in parts and lists
// in pages.
type s3Server struct {
	mu      sync.Mutex
	objects map[string][]byte
	parts   map[string]map[string][]byte // by upload and number
	seen    []string                     // of requests: method and query
	broken  bool                         // the server cuts the connection in the middle of objects
}

func newS3(t *testing.T) (*s3Server, string) {
	t.Helper()
	s := &s3Server{objects: map[string][]byte{}, parts: map[string]map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, "s3://recordings?region=eu-central-1&use_path_style=true&endpoint=" + server.URL
}

func (s *s3Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=tester/") {
		s3Error(w, http.StatusForbidden, "AccessDenied")
		return
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if bucket != "recordings" {
		s3Error(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	s.seen = append(s.seen, r.Method+" "+r.URL.RawQuery)
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodGet && key == "":
		s.writeList(w, query.Get("prefix"), query.Get("delimiter"), query.Get("continuation-token"))
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		s.get(w, r, key)
	case r.Method == http.MethodPut:
		s.put(w, r, key)
	case r.Method == http.MethodPost:
		s.post(w, r, key)
	case r.Method == http.MethodDelete && query.Has("uploadId"):
		delete(s.parts, query.Get("uploadId"))
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *s3Server) get(w http.ResponseWriter, r *http.Request, key string) {
	object, ok := s.objects[key]
	if !ok {
		s3Error(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	if s.broken && r.Method == http.MethodGet {
		w.Header().Set("Content-Length", fmt.Sprint(len(object)))
		_, _ = w.Write(object[:len(object)/2])
		return // the server cuts the connection
	}
	http.ServeContent(w, r, "", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), bytes.NewReader(object))
}

func (s *s3Server) put(w http.ResponseWriter, r *http.Request, key string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client cut the connection
	}
	if strings.Contains(r.Header.Get("Content-Encoding"), "aws-chunked") {
		s3Error(w, http.StatusNotImplemented, "NotImplemented")
		return
	}
	sum := md5.Sum(body)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	if id := r.URL.Query().Get("uploadId"); id != "" {
		s.parts[id][r.URL.Query().Get("partNumber")] = body
		return
	}
	s.objects[key] = body
}

func (s *s3Server) post(w http.ResponseWriter, r *http.Request, key string) {
	query := r.URL.Query()
	if query.Has("uploads") {
		id := fmt.Sprintf("upload-%d", len(s.parts))
		s.parts[id] = map[string][]byte{}
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><Bucket>recordings</Bucket><Key>%s</Key><UploadId>%s</UploadId></InitiateMultipartUploadResult>", key, id)
		return
	}
	var complete struct {
		Part []struct{ PartNumber string }
	}
	if err := xml.NewDecoder(r.Body).Decode(&complete); err != nil {
		s3Error(w, http.StatusBadRequest, "MalformedXML")
		return
	}
	var whole []byte
	for _, p := range complete.Part {
		whole = append(whole, s.parts[query.Get("uploadId")][p.PartNumber]...)
	}
	delete(s.parts, query.Get("uploadId"))
	s.objects[key] = whole
	fmt.Fprintf(w, `<CompleteMultipartUploadResult><Bucket>recordings</Bucket><Key>%s</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`, key)
}

// writeList returns three keys at a time, so that clients must request further pages. Keys with the
// delimiter after the prefix are one entry.
func (s *s3Server) writeList(w http.ResponseWriter, prefix, delimiter, after string) {
	fmt.Fprint(w, "<ListBucketResult><Name>recordings</Name>")
	n := 0
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(key, prefix) || key <= after || delimiter != "" && strings.HasSuffix(after, delimiter) && strings.HasPrefix(key, after) {
			continue
		}
		if n == 3 {
			fmt.Fprintf(w, "<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>", after)
			break
		}
		n, after = n+1, key
		if name, _, below := strings.Cut(key[len(prefix):], delimiter); delimiter != "" && below {
			after = prefix + name + delimiter
			fmt.Fprintf(w, "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>", after)
			continue
		}
		fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>%d</Size><LastModified>2026-03-01T00:00:00Z</LastModified></Contents>", key, len(s.objects[key]))
	}
	fmt.Fprintf(w, "<KeyCount>%d</KeyCount></ListBucketResult>", n)
}

func s3Error(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}
