package tus_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/tus"
)

// shelf keeps uploads in memory.
type shelf struct {
	mu      sync.Mutex
	uploads map[string]*kept
	lose    bool // the next answer of Note is lost
}

type kept struct {
	tus.Upload
	written map[string][]byte
	parts   []string // those of written that count
}

// joinParts returns the bytes of all parts that count.
func (u *kept) joinParts() string {
	var text strings.Builder
	for _, part := range u.parts {
		text.Write(u.written[part])
	}
	return text.String()
}

var errNone = problem.New(problem.NotFound, "")

func (s *shelf) Create(_ context.Context, length *int64, _ map[string]string, raw string) (tus.Upload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := &kept{Upload: tus.Upload{ID: fmt.Sprint(len(s.uploads) + 1), Length: length, Metadata: raw}, written: make(map[string][]byte)}
	s.uploads[u.ID] = u
	return u.Upload, nil
}

func (s *shelf) Find(_ context.Context, id string) (tus.Upload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.uploads[id]; ok {
		return u.Upload, nil
	}
	return tus.Upload{}, errNone
}

func (s *shelf) Write(_ context.Context, id, part string, body io.Reader) (int64, error) {
	data, err := io.ReadAll(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads[id].written[part] = data
	return int64(len(data)), err
}

func (s *shelf) Note(_ context.Context, id string, offset int64, part string, size int64, length *int64) (tus.Upload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uploads[id]
	if u.Offset != offset {
		return u.Upload, tus.ErrOffset
	}
	if length != nil {
		if u.Length != nil && *u.Length != *length || *length < offset+size {
			return u.Upload, tus.ErrLength
		}
		u.Length = length
	}
	if size > 0 {
		u.parts = append(u.parts, part)
	}
	u.Offset += size
	if s.lose {
		s.lose = false
		return tus.Upload{}, io.ErrUnexpectedEOF
	}
	return u.Upload, nil
}

func (s *shelf) Drop(_ context.Context, id, part string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.uploads[id].written, part)
	return nil
}

func (s *shelf) Delete(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.uploads[id]; !ok {
		return errNone
	}
	delete(s.uploads, id)
	return nil
}

// uploads is a server of uploads.
type uploads struct {
	t      *testing.T
	shelf  *shelf
	client *http.Client
	url    string
}

const maxSize = 1 << 20

func newUploads(t *testing.T) uploads {
	t.Helper()
	s := &shelf{uploads: make(map[string]*kept)}
	h := tus.New(s, tus.Options{MaxSize: maxSize, PartSize: 1000}, func(id string) string { return "/uploads/" + id })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := strings.TrimPrefix(r.URL.Path, "/uploads/")
		var err error
		switch tus.Method(r) {
		case http.MethodOptions:
			err = h.Describe(w, r)
		case http.MethodPost:
			err = h.Create(w, r)
		case http.MethodHead:
			err = h.Head(w, r, id)
		case http.MethodPatch:
			err = h.Patch(w, r, id)
		case http.MethodDelete:
			err = h.Delete(w, r, id)
		}
		var p *problem.Problem
		if errors.As(err, &p) {
			for name, values := range p.Header {
				w.Header()[name] = values
			}
			w.WriteHeader(p.Status())
		} else if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	return uploads{t: t, shelf: s, client: server.Client(), url: server.URL}
}

// callServer sends a request. headers are pairs of name and value, and an empty value removes the
// header.
func (d uploads) callServer(method, path, body string, headers ...string) *http.Response {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Tus-Resumable", "1.0.0")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := d.client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	res.Body.Close()
	return res
}

func (d uploads) create(headers ...string) string {
	d.t.Helper()
	res := d.callServer("POST", "/uploads/", "", headers...)
	if res.StatusCode != http.StatusCreated {
		d.t.Fatalf("creation answers %d", res.StatusCode)
	}
	return res.Header.Get("Location")
}

func (d uploads) patch(path string, offset int, body string, headers ...string) *http.Response {
	d.t.Helper()
	return d.callServer("PATCH", path, body, append([]string{"Content-Type", tus.MediaType, "Upload-Offset", fmt.Sprint(offset)}, headers...)...)
}

func (d uploads) offset(path string) string {
	d.t.Helper()
	return d.callServer("HEAD", path, "").Header.Get("Upload-Offset")
}

// bytes returns the stored bytes of an upload.
func (d uploads) bytes(path string) string {
	d.shelf.mu.Lock()
	defer d.shelf.mu.Unlock()
	return d.shelf.uploads[strings.TrimPrefix(path, "/uploads/")].joinParts()
}

func TestUploadWithDeferredLength(t *testing.T) {
	t.Parallel()
	d := newUploads(t)
	path := d.create("Upload-Defer-Length", "1", "Upload-Metadata", "question_id cTE=,take MQ==")
	head := d.callServer("HEAD", path, "")
	if got := head.Header.Get("Upload-Defer-Length") + head.Header.Get("Upload-Length") + head.Header.Get("Upload-Metadata"); got != "1question_id cTE=,take MQ==" {
		t.Errorf("HEAD before a byte tells %q", got)
	}
	long := strings.Repeat("0123456789", 250) // more than fit in two parts
	if res := d.patch(path, 0, long); res.StatusCode != http.StatusNoContent || res.Header.Get("Upload-Offset") != "2500" {
		t.Fatalf("PATCH answers %d, offset %s", res.StatusCode, res.Header.Get("Upload-Offset"))
	}
	if res := d.patch(path, 2500, "end", "Upload-Length", "2503"); res.StatusCode != http.StatusNoContent {
		t.Fatalf("the last PATCH answers %d", res.StatusCode)
	}
	if head := d.callServer("HEAD", path, ""); head.Header.Get("Upload-Length") != "2503" || head.Header.Get("Upload-Offset") != "2503" {
		t.Errorf("HEAD at the end tells length %q, offset %q", head.Header.Get("Upload-Length"), head.Header.Get("Upload-Offset"))
	}
	if got := d.bytes(path); got != long+"end" {
		t.Errorf("kept %d bytes that differ", len(got))
	}
}

// The connection to the database may break while a part is committed, so a part whose answer is
// lost is not dropped: the client asks for the offset, and goes on behind it.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string][]string{"plain": nil, "with a checksum": {"Upload-Checksum", "sha1 " + base64.StdEncoding.EncodeToString(sumOf("begin"))}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newUploads(t)
			path := d.create("Upload-Length", "8")
			d.shelf.lose = true
			if res := d.patch(path, 0, "begin", headers...); res.StatusCode != http.StatusInternalServerError || d.offset(path) != "5" {
				t.Fatalf("PATCH answers %d, the offset is %s", res.StatusCode, d.offset(path))
			}
			d.patch(path, 5, "end")
			if got := d.bytes(path); got != "beginend" {
				t.Errorf("kept %q", got)
			}
		})
	}
}

func sumOf(text string) []byte {
	sum := sha1.Sum([]byte(text))
	return sum[:]
}

// An empty last PATCH states the length if the client did not know that it had sent everything.
func TestLengthAlone(t *testing.T) {
	t.Parallel()
	d := newUploads(t)
	path := d.create("Upload-Defer-Length", "1")
	d.patch(path, 0, "all")
	if res := d.patch(path, 3, "", "Upload-Length", "3"); res.StatusCode != http.StatusNoContent {
		t.Errorf("the length alone is answered with %d", res.StatusCode)
	}
	if got := d.callServer("HEAD", path, "").Header.Get("Upload-Length"); got != "3" {
		t.Errorf("the length is %q", got)
	}
}

// A body with a checksum is one part, so that it takes no more of the disk before it counts.
func TestChecksumOfMoreThanAPart(t *testing.T) {
	t.Parallel()
	d := newUploads(t)
	path := d.create("Upload-Length", "2000")
	body := strings.Repeat("x", 1001)
	sum := sha1.Sum([]byte(body))
	res := d.patch(path, 0, body, "Upload-Checksum", "sha1 "+base64.StdEncoding.EncodeToString(sum[:]))
	if res.StatusCode != http.StatusRequestEntityTooLarge || d.bytes(path) != "" {
		t.Errorf("%d, %d bytes are kept", res.StatusCode, len(d.bytes(path)))
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	sum := sha1.Sum([]byte("other"))
	tests := []struct {
		name    string
		method  string
		path    string // if empty, the upload with 10 of 20 bytes
		body    string
		headers []string
		want    int
	}{
		{"no version", "PATCH", "", "x", []string{"Tus-Resumable", "", "Content-Type", tus.MediaType, "Upload-Offset", "10"}, 412},
		{"another version", "HEAD", "", "", []string{"Tus-Resumable", "0.2.2"}, 412},
		{"no length", "POST", "/uploads/", "", nil, 400},
		{"both lengths", "POST", "/uploads/", "", []string{"Upload-Length", "1", "Upload-Defer-Length", "1"}, 400},
		{"a deferral that is none", "POST", "/uploads/", "", []string{"Upload-Defer-Length", "yes"}, 400},
		{"a negative length", "POST", "/uploads/", "", []string{"Upload-Length", "-1"}, 400},
		{"a length that overflows", "POST", "/uploads/", "", []string{"Upload-Length", "9223372036854775808"}, 400},
		{"too large", "POST", "/uploads/", "", []string{"Upload-Length", fmt.Sprint(maxSize + 1)}, 413},
		{"metadata that is no base64", "POST", "/uploads/", "", []string{"Upload-Length", "1", "Upload-Metadata", "name *"}, 400},
		{"metadata twice", "POST", "/uploads/", "", []string{"Upload-Length", "1", "Upload-Metadata", "a YQ==,a YQ=="}, 400},
		{"another media type", "PATCH", "", "x", []string{"Content-Type", "video/webm", "Upload-Offset", "10"}, 415},
		{"no offset", "PATCH", "", "x", []string{"Content-Type", tus.MediaType}, 400},
		{"an earlier offset", "PATCH", "", "x", []string{"Content-Type", tus.MediaType, "Upload-Offset", "9"}, 409},
		{"a later offset", "PATCH", "", "x", []string{"Content-Type", tus.MediaType, "Upload-Offset", "11"}, 409},
		{"more than the length", "PATCH", "", "01234567890", []string{"Content-Type", tus.MediaType, "Upload-Offset", "10"}, 413},
		{"another length", "PATCH", "", "x", []string{"Content-Type", tus.MediaType, "Upload-Offset", "10", "Upload-Length", "30"}, 400},
		{"a length below the offset", "PATCH", "", "", []string{"Content-Type", tus.MediaType, "Upload-Offset", "10", "Upload-Length", "9"}, 400},
		{"a checksum of other bytes", "PATCH", "", "x", []string{
			"Content-Type", tus.MediaType, "Upload-Offset", "10", "Upload-Checksum", "sha1 " + base64.StdEncoding.EncodeToString(sum[:]),
		}, 460},
		{"an unknown checksum", "PATCH", "", "x", []string{"Content-Type", tus.MediaType, "Upload-Offset", "10", "Upload-Checksum", "crc32 AAAAAA=="}, 400},
		{"no such upload", "HEAD", "/uploads/none", "", nil, 404},
		{"deleting no upload", "DELETE", "/uploads/none", "", nil, 404},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newUploads(t)
			path := d.create("Upload-Length", "20")
			d.patch(path, 0, "0123456789")
			target := tt.path
			if target == "" {
				target = path
			}
			if got := d.callServer(tt.method, target, tt.body, tt.headers...).StatusCode; got != tt.want {
				t.Errorf("answered with %d, want %d", got, tt.want)
			}
			if got := d.bytes(path); got != "0123456789" {
				t.Errorf("the upload holds %q afterwards", got)
			}
			if u := d.shelf.uploads["1"]; len(u.written) > len(u.parts) {
				t.Errorf("%d parts were stored, and %d of them count", len(u.written), len(u.parts))
			}
		})
	}
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	d := newUploads(t)
	path := d.create("Upload-Length", "5")
	sum := sha1.Sum([]byte("hello"))
	res := d.patch(path, 0, "hello", "Upload-Checksum", "sha1 "+base64.StdEncoding.EncodeToString(sum[:]))
	if res.StatusCode != http.StatusNoContent || d.bytes(path) != "hello" {
		t.Errorf("a right checksum is answered with %d, kept %q", res.StatusCode, d.bytes(path))
	}
}

func TestCreationWithUpload(t *testing.T) {
	t.Parallel()
	d := newUploads(t)
	res := d.callServer("POST", "/uploads/", "begin", "Upload-Length", "9", "Content-Type", tus.MediaType)
	if res.StatusCode != http.StatusCreated || res.Header.Get("Upload-Offset") != "5" {
		t.Fatalf("creation with bytes answers %d, offset %q", res.StatusCode, res.Header.Get("Upload-Offset"))
	}
	if got := d.bytes(res.Header.Get("Location")); got != "begin" {
		t.Errorf("kept %q", got)
	}
}

func TestMethodOverride(t *testing.T) {
	t.Parallel()
	d := newUploads(t)
	path := d.create("Upload-Length", "3")
	res := d.callServer("POST", path, "abc", "X-HTTP-Method-Override", "PATCH", "Content-Type", tus.MediaType, "Upload-Offset", "0")
	if res.StatusCode != http.StatusNoContent || d.bytes(path) != "abc" {
		t.Errorf("answered with %d, kept %q", res.StatusCode, d.bytes(path))
	}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	d := newUploads(t)
	res := d.callServer("OPTIONS", "/uploads/", "", "Tus-Resumable", "")
	got := fmt.Sprint(res.StatusCode, res.Header.Get("Tus-Version"), " ", res.Header.Get("Tus-Extension"), " ", res.Header.Get("Tus-Max-Size"))
	if want := fmt.Sprint(204, "1.0.0", " creation,creation-with-upload,creation-defer-length,checksum,expiration,termination ", maxSize); got != want {
		t.Errorf("described as %q, want %q", got, want)
	}
}

// A connection that breaks anywhere loses nothing that HEAD has reported, and continuing from
// there results in the same bytes.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			d := newUploads(t)
			file := make([]byte, 20_000)
			for i := range file {
				file[i] = byte(random.Uint32())
			}
			path := d.create("Upload-Length", fmt.Sprint(len(file)))
			for {
				var offset int
				if _, err := fmt.Sscan(d.offset(path), &offset); err != nil {
					t.Fatal(err)
				}
				if offset == len(file) {
					break
				}
				sent, want := random.IntN(len(file)-offset+1), http.StatusRequestTimeout
				if offset+sent == len(file) {
					want = http.StatusNoContent
				}
				if status := d.breakOff(path, offset, file[offset:], sent); status != want {
					t.Errorf("%d bytes of %d are answered with %d, want %d", sent, len(file)-offset, status, want)
				}
			}
			if !bytes.Equal([]byte(d.bytes(path)), file) {
				t.Error("the kept bytes differ")
			}
		})
	}
}

// breakOff announces the rest of the file and sends n bytes of it. It returns the status of the
// server's response.
func (d uploads) breakOff(path string, offset int, rest []byte, n int) int {
	d.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTus-Resumable: 1.0.0\r\nContent-Type: %s\r\nUpload-Offset: %d\r\nContent-Length: %d\r\n\r\n",
		path, tus.MediaType, offset, len(rest))
	if _, err := conn.Write(rest[:n]); err != nil {
		d.t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		d.t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		d.t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// If two requests send the same bytes, one of them learns the upload's offset.
func TestCrossingPatches(t *testing.T) {
	t.Parallel()
	d := newUploads(t)
	path := d.create("Upload-Length", "8")
	var statuses [2]int
	var group sync.WaitGroup
	for i := range statuses {
		group.Go(func() { statuses[i] = d.patch(path, 0, "same").StatusCode })
	}
	group.Wait()
	if statuses[0]+statuses[1] != http.StatusNoContent+http.StatusConflict {
		t.Errorf("answered with %v", statuses)
	}
	if got := d.bytes(path); got != "same" {
		t.Errorf("kept %q", got)
	}
}

func FuzzCreation(f *testing.F) {
	f.Add("", "1", "name dmFsdWU=")
	f.Add("10", "", "a YQ==, b ,c")
	f.Add("99999999999999999999", "0", ",")
	f.Fuzz(func(t *testing.T, length, deferred, metadata string) {
		s := &shelf{uploads: make(map[string]*kept)}
		h := tus.New(s, tus.Options{MaxSize: maxSize}, func(id string) string { return id })
		r := httptest.NewRequest(http.MethodPost, "/uploads/", nil)
		r.Header = http.Header{"Tus-Resumable": {"1.0.0"}, "Upload-Length": {length}, "Upload-Defer-Length": {deferred}, "Upload-Metadata": {metadata}}
		var p *problem.Problem
		if err := h.Create(httptest.NewRecorder(), r); err != nil && !errors.As(err, &p) {
			t.Fatalf("error %v", err)
		}
		for _, u := range s.uploads {
			if u.Length != nil && (*u.Length < 0 || *u.Length > maxSize) {
				t.Errorf("an upload of %d bytes was made", *u.Length)
			}
		}
	})
}
