package interview_test

import (
	"bufio"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/storetest"
)

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// metadata names a take as tus clients do.
func metadata(question uuid.UUID, take int) string {
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	return "question_id " + encode(question.String()) + ",take " + encode(fmt.Sprint(take)) + ",filetype " + encode(webm)
}

// beginUpload starts the interview and begins an upload of the first take of its first question.
func (b *browser) beginUpload(t testing.TB) (question uuid.UUID, take int, location string) {
	t.Helper()
	question = b.started(t).Questions[0].ID
	take = b.open(t, question)
	return question, take, b.create(t, question, take)
}

// create creates the upload of a take and returns its path.
func (b *browser) create(t testing.TB, question uuid.UUID, take int) string {
	t.Helper()
	r := b.send(t, "POST", "uploads", nil, "Tus-Resumable", "1.0.0", "Upload-Defer-Length", "1", "Upload-Metadata", metadata(question, take)).want(t, "201 Created")
	return r.header.Get("Location")
}

// patch sends bytes of an upload.
func (b *browser) patch(t testing.TB, location string, offset int, body string, header ...string) reply {
	t.Helper()
	return b.send(t, "PATCH", location, strings.NewReader(body), append([]string{
		"Tus-Resumable", "1.0.0", "Content-Type", "application/offset+octet-stream", "Upload-Offset", fmt.Sprint(offset),
	}, header...)...)
}

// offset returns the offset of an upload.
func (b *browser) offset(t testing.TB, location string) string {
	t.Helper()
	return b.send(t, "HEAD", location, nil, "Tus-Resumable", "1.0.0").want(t, "200 OK").header.Get("Upload-Offset")
}

// recording reads the stored bytes of a take.
func (b *testServer) recording(t testing.TB, take uuid.UUID) string {
	t.Helper()
	parts, err := answering.ListParts(t.Context(), b.DB, take)
	check(t, err)
	var text strings.Builder
	for _, part := range parts {
		content, err := b.blobs.ReadAll(t.Context(), part.Blob, part.Bytes)
		check(t, err)
		text.Write(content)
	}
	return text.String()
}

// TestUploadRefusals sends what an upload does not accept, and checks that nothing is stored.
func TestUploadRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, zoe())
	p := b.trader(t, made)
	question, _, location := p.beginUpload(t)
	other := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	other.started(t)
	p.patch(t, location, 0, "12345").want(t, "204 No Content")
	huge := fmt.Sprint(10 << 30)
	for _, tt := range []struct {
		name string
		send func(t testing.TB) reply
		want string
	}{
		{"wrong offset", func(t testing.TB) reply { return p.patch(t, location, 4, "x") }, "409 conflict"},
		{"offset of another world", func(t testing.TB) reply {
			return p.patch(t, location, 0, "x", "Upload-Offset", fmt.Sprint(uint64(math.MaxUint64)))
		}, "400 invalid_header"},
		{"no offset", func(t testing.TB) reply { return p.patch(t, location, 5, "x", "Upload-Offset", "") }, "400 invalid_header"},
		{"wrong checksum", func(t testing.TB) reply {
			return p.patch(t, location, 5, "x", "Upload-Checksum", "sha1 "+base64.StdEncoding.EncodeToString(make([]byte, 20)))
		}, "460 checksum_mismatch"},
		{"unknown checksum", func(t testing.TB) reply { return p.patch(t, location, 5, "x", "Upload-Checksum", "crc32 AAAA") }, "400 invalid_header"},
		{"wrong type", func(t testing.TB) reply { return p.patch(t, location, 5, "x", "Content-Type", "video/webm") }, "415 unsupported_media_type"},
		{"old protocol", func(t testing.TB) reply { return p.patch(t, location, 5, "x", "Tus-Resumable", "0.2.2") }, "412 precondition_failed"},
		{"10 GB announced", func(t testing.TB) reply { return p.patch(t, location, 5, "x", "Upload-Length", huge) }, "413 payload_too_large"},
		{"10 GB created", func(t testing.TB) reply {
			return p.send(t, "POST", "uploads", nil, "Tus-Resumable", "1.0.0", "Upload-Length", huge, "Upload-Metadata", metadata(question, 1))
		}, "413 payload_too_large"},
		{"more than the length", func(t testing.TB) reply { return p.patch(t, location, 5, "xxx", "Upload-Length", "7") }, "413 payload_too_large"},
		{"a take that was not opened", func(t testing.TB) reply {
			return p.send(t, "POST", "uploads", nil, "Tus-Resumable", "1.0.0", "Upload-Defer-Length", "1", "Upload-Metadata", metadata(question, 2))
		}, "400 invalid_header"},
		{"no take", func(t testing.TB) reply {
			return p.send(t, "POST", "uploads", nil, "Tus-Resumable", "1.0.0", "Upload-Defer-Length", "1")
		}, "400 invalid_header"},
		{"somebody else's upload", func(t testing.TB) reply { return other.patch(t, other.base+"/uploads/"+idOf(location), 5, "x") }, "404 not_found"},
		{"somebody else's upload by its own path", func(t testing.TB) reply { return other.patch(t, location, 5, "x") }, "401 authentication_required"},
		{"an upload that is none", func(t testing.TB) reply { return p.patch(t, p.base+"/uploads/x", 5, "x") }, "404 not_found"},
		{"a method that is none", func(t testing.TB) reply { return p.send(t, "PUT", location, nil) }, "405 method_not_allowed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.send(t).want(t, tt.want)
			if got := p.offset(t, location); got != "5" {
				t.Errorf("the upload stands at %s", got)
			}
		})
	}
	if got := b.recording(t, uuid.MustParse(idOf(location))); got != "12345" {
		t.Errorf("kept %q", got)
	}
	// Nothing of the refused requests is left.
	var blobs int
	for _, err := range b.blobs.List(t.Context(), interviews.Prefix(made.ID)) {
		check(t, err)
		blobs++
	}
	if blobs != 1 {
		t.Errorf("%d blobs", blobs)
	}
	p.send(t, "DELETE", location, nil, "Tus-Resumable", "1.0.0").want(t, "204 No Content")
	p.patch(t, location, 5, "x").want(t, "404 not_found")
}

func idOf(location string) string { return location[strings.LastIndex(location, "/")+1:] }

// TestTenGigabytes checks that the header alone is refused.
func TestTenGigabytes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	_, _, location := p.beginUpload(t)
	status, _ := p.half(t, location, "Content-Length: 10737418240", "a few bytes")
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("answered %d", status)
	}
	if got := p.offset(t, location); got != "0" {
		t.Errorf("kept %s bytes", got)
	}
}

// half sends a PATCH and breaks off after the body. It returns a response that arrived before.
func (b *browser) half(t testing.TB, location, length, body string) (status int, rest string) {
	t.Helper()
	address := strings.TrimPrefix(b.testServer.server.URL, "https://")
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	check(t, err)
	defer func() { _ = conn.Close() }()
	u, err := url.Parse(b.testServer.server.URL)
	check(t, err)
	var cookies []string
	for _, c := range b.client.Jar.Cookies(u) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	_, err = fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n%s\r\n\r\n%s",
		location, address, strings.Join(cookies, "; "), length, body)
	check(t, err)
	if strings.HasSuffix(length, "737418240") {
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		check(t, err)
		defer func() { _ = res.Body.Close() }()
		return res.StatusCode, ""
	}
	return 0, ""
}

// TestBrokenConnection checks that bytes from before a connection broke are kept.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	question, take, location := p.beginUpload(t)
	p.half(t, location, "Content-Length: 1000", "the first bytes")
	storetest.Eventually(t, "the bytes are kept", func() bool { return p.offset(t, location) == "15" })
	p.patch(t, location, 15, " and the last", "Upload-Length", "28").want(t, "204 No Content")
	if got := b.recording(t, uuid.MustParse(idOf(location))); got != "the first bytes and the last" {
		t.Errorf("kept %q", got)
	}
	// A client that has lost the upload's address gets it again.
	if again := p.create(t, question, take); again != location {
		t.Errorf("the take's upload is %s, and then %s", location, again)
	}
}

// TestSlowUpload checks that an upload may take longer than other requests. It takes long because
// the upload pauses for three times the limit of other requests, which is two seconds.
func TestSlowUpload(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second
	b := setup(t)
	b.server.Close()
	b.server = httptest.NewUnstartedServer(b.server.Config.Handler)
	b.server.Config.ReadTimeout = limit
	b.server.StartTLS()
	t.Cleanup(b.server.Close)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	_, _, location := p.beginUpload(t)
	body := &noise{left: 2 << 20, half: 1 << 20, wait: func() { <-time.After(3 * limit) }}
	p.send(t, "PATCH", location, io.NopCloser(body), "Tus-Resumable", "1.0.0", "Content-Type", "application/offset+octet-stream", "Upload-Offset", "0").want(t, "204 No Content")
	if got := p.offset(t, location); got != fmt.Sprint(2<<20) {
		t.Errorf("the upload stands at %s", got)
	}
}

// TestLengthOfUpload checks that a length which cannot be right is refused for that reason, because a
// page repeats a request at a wrong offset for ever.
func TestLengthOfUpload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	question, take, location := p.beginUpload(t)
	again := func(length string) reply {
		return p.send(t, "POST", "uploads", nil, "Tus-Resumable", "1.0.0", "Upload-Length", length, "Upload-Metadata", metadata(question, take))
	}
	p.patch(t, location, 0, "1234").want(t, "204 No Content")
	p.patch(t, location, 4, "", "Upload-Length", "3").want(t, "400 invalid_header")
	again("3").want(t, "400 invalid_header")
	p.patch(t, location, 4, "5", "Upload-Length", "8").want(t, "204 No Content")
	p.patch(t, location, 5, "6", "Upload-Length", "9").want(t, "400 invalid_header")
	again("9").want(t, "400 invalid_header")
	if got := p.offset(t, location); got != "5" {
		t.Errorf("the upload stands at %s", got)
	}
	p.patch(t, location, 5, "678", "Upload-Length", "8").want(t, "204 No Content")
}

// TestLargeBody checks that a body becomes parts which apiserver may hold in memory for each of many
// requests, as it does with a part that goes to S3.
func TestLargeBody(t *testing.T) {
	t.Parallel()
	const most, size = 1 << 20, 5 << 19
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	_, _, location := p.beginUpload(t)
	p.patch(t, location, 0, strings.Repeat("x", size)).want(t, "204 No Content")
	parts, err := answering.ListParts(t.Context(), b.DB, uuid.MustParse(idOf(location)))
	check(t, err)
	var whole int64
	for _, part := range parts {
		if whole += part.Bytes; part.Bytes > most {
			t.Errorf("a part has %d bytes, at most %d are allowed", part.Bytes, most)
		}
	}
	if whole != size {
		t.Errorf("%d bytes are stored, want %d", whole, size)
	}
}

// TestUploadProtocol checks how the upload route describes itself, and clients that cannot send
// PATCH.
func TestUploadProtocol(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	question := p.started(t).Questions[0].ID
	about := p.send(t, "OPTIONS", "uploads", nil).want(t, "204 No Content").header
	if about.Get("Tus-Version") != "1.0.0" || about.Get("Tus-Max-Size") != fmt.Sprint(answering.MaxTakeBytes) || !strings.Contains(about.Get("Tus-Extension"), "creation-defer-length") {
		t.Errorf("OPTIONS tells %v", about)
	}
	location := p.create(t, question, p.open(t, question))
	p.send(t, "POST", location, strings.NewReader("12"), "X-HTTP-Method-Override", "PATCH", "Tus-Resumable", "1.0.0",
		"Content-Type", "application/offset+octet-stream", "Upload-Offset", "0", "Upload-Checksum", "sha256 "+base64.StdEncoding.EncodeToString(func() []byte { s := sha256.Sum256([]byte("12")); return s[:] }())).want(t, "204 No Content")
	if got := p.offset(t, location); got != "2" {
		t.Errorf("the upload stands at %s", got)
	}
}

// noise is a body of arbitrary bytes that uses no memory. The second half is sent when all bodies
// have reached their middle.
type noise struct {
	left int64
	half int64
	wait func()
}

func (n *noise) Read(p []byte) (int, error) {
	if n.left == 0 {
		return 0, io.EOF
	}
	if n.left <= n.half && n.wait != nil {
		n.wait()
		n.wait = nil
	}
	p = p[:min(int64(len(p)), n.left)]
	n.left -= int64(len(p))
	return len(p), nil
}

// TestMemoryOfUploads measures the heap while 50 uploads are half done: it is limited by buffers,
// and does not depend on the size of the uploads.
func TestMemoryOfUploads(t *testing.T) {
	if testing.Short() {
		t.Skip("uploads 400 MiB")
	}
	b := setup(t)
	const uploads, size = 50, 8 << 20
	type one struct {
		p        *browser
		location string
	}
	var list []one
	for range uploads {
		p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
		question := p.started(t).Questions[0].ID
		list = append(list, one{p, p.create(t, question, p.open(t, question))})
	}
	before := heap()
	var half, done sync.WaitGroup
	half.Add(uploads)
	release := make(chan struct{})
	for _, u := range list {
		done.Go(func() {
			body := &noise{left: size, half: size / 2, wait: func() { half.Done(); <-release }}
			u.p.send(t, "PATCH", u.location, io.NopCloser(body), "Tus-Resumable", "1.0.0", "Content-Type", "application/offset+octet-stream", "Upload-Offset", "0").want(t, "204 No Content")
		})
	}
	half.Wait()
	during := heap()
	close(release)
	done.Wait()
	for _, u := range list {
		if got := u.p.offset(t, u.location); got != fmt.Sprint(size) {
			t.Errorf("an upload stands at %s", got)
		}
	}
	grown := (int64(during) - int64(before)) >> 20
	t.Logf("%d uploads, %d MiB on their way: the heap grew by %d MiB, client included", uploads, uploads*size>>20, grown)
	if grown > 64 {
		t.Errorf("the heap grew by %d MiB", grown)
	}
}

// heap returns how many bytes are reachable.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
