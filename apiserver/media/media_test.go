package media_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// playback is an interview whose recording is played.
type playback struct {
	*store.DB
	org, id uuid.UUID
	blobs   *blob.Bucket
	server  *httptest.Server
	now     time.Time
}

const segment = "0123456789abcdefghij"

func setup(t testing.TB) *playback {
	t.Helper()
	b := &playback{DB: storetest.New(t), now: time.Now().Truncate(time.Second)}
	b.org = storetest.Organization(t, b.DB).ID
	b.id = storetest.Completed(t, b.DB, b.org, storetest.NewInterview("Ada", "ada@example.com"), "phrase").ID
	var err error
	if b.blobs, err = blob.Open(context.Background(), "file://"+t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"index.m3u8": "#EXTM3U\n", "seg_00001.m4s": segment, "poster.jpg": "jpg", "sound/000.wav": "wav", "notes.txt": "x"} {
		if _, err := b.blobs.Put(context.Background(), interviews.MediaPrefix(b.id, 1)+name, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	handler := &media.Handler{Store: b.DB, Blobs: b.blobs, Now: func() time.Time { return b.now }}
	b.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := handler.Serve(w, r); err != nil {
			p := problem.From(err)
			w.Header().Set("Problem", string(p.Code))
			http.Error(w, string(p.Code), p.Status())
		}
	}))
	t.Cleanup(b.server.Close)
	return b
}

func (b *playback) grant() media.Grant {
	return media.Grant{Interview: b.id, Version: 1, Expires: b.now.Add(10 * time.Minute)}
}

func (b *playback) path(t testing.TB, g media.Grant) string {
	t.Helper()
	path, err := media.Sign(b.DB, g)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (b *playback) get(t testing.TB, method, path string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, b.server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := b.server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestServe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	base := b.path(t, b.grant())
	for _, tc := range []struct {
		name, method, file string
		header             []string
		status             int
		body, contentType  string
	}{
		{"playlist", "GET", "index.m3u8", nil, 200, "#EXTM3U\n", "application/vnd.apple.mpegurl"},
		{"segment", "GET", "seg_00001.m4s", nil, 200, segment, "video/iso.segment"},
		{"poster", "GET", "poster.jpg", nil, 200, "jpg", "image/jpeg"},
		{"head", "HEAD", "seg_00001.m4s", nil, 200, "", "video/iso.segment"},
		{"range", "GET", "seg_00001.m4s", []string{"Range", "bytes=5-9"}, 206, "56789", "video/iso.segment"},
		{"open range", "GET", "seg_00001.m4s", []string{"Range", "bytes=15-"}, 206, "fghij", "video/iso.segment"},
		{"last bytes", "GET", "seg_00001.m4s", []string{"Range", "bytes=-3"}, 206, "hij", "video/iso.segment"},
		{"range behind the end", "GET", "seg_00001.m4s", []string{"Range", "bytes=50-"}, 416, "invalid range: failed to overlap\n", "text/plain; charset=utf-8"},
		{"known already", "GET", "seg_00001.m4s", []string{"If-None-Match", `"1-seg_00001.m4s"`}, 304, "", ""},
		{"another origin's page", "GET", "seg_00001.m4s", []string{"Origin", "https://desk.example"}, 200, segment, "video/iso.segment"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			resp, body := b.get(t, tc.method, base+tc.file, tc.header...)
			if resp.StatusCode != tc.status || body != tc.body || resp.Header.Get("Content-Type") != tc.contentType {
				t.Errorf("%d %q %q; want %d %q %q", resp.StatusCode, resp.Header.Get("Content-Type"), body, tc.status, tc.contentType, tc.body)
			}
			if tc.status < 300 && (resp.Header.Get("Cache-Control") != "private, max-age=600" || resp.Header.Get("Access-Control-Allow-Origin") != "*") {
				t.Errorf("header %v", resp.Header)
			}
			if tc.method == "HEAD" && resp.ContentLength != int64(len(segment)) {
				t.Errorf("HEAD tells %d bytes", resp.ContentLength)
			}
		})
	}
}

// An address opens what it names, and nothing else.
func TestRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := storetest.Completed(t, b.DB, b.org, storetest.NewInterview("Bob", "bob@example.com"), "phrase").ID
	base := b.path(t, b.grant())
	parts := strings.Split(strings.Trim(base, "/"), "/") // media v1 interview version permit
	permit := strings.Split(parts[4], ".")
	with := func(interview, version string, permit ...string) string {
		return "/media/v1/" + interview + "/" + version + "/" + strings.Join(permit, ".") + "/"
	}
	expired := b.grant()
	expired.Expires = b.now.Add(-time.Second)
	old := b.grant()
	old.Version = 2
	later := fmt.Sprint(b.now.Add(time.Hour).Unix())
	for _, tc := range []struct{ name, path, want string }{
		{"expired", b.path(t, expired) + "index.m3u8", "403 playback_expired"},
		{"another interview", with(other.String(), parts[3], permit...) + "index.m3u8", "404 not_found"},
		{"another version", with(parts[2], "2", permit...) + "index.m3u8", "404 not_found"},
		{"another time", with(parts[2], parts[3], later, permit[1], permit[2], permit[3]) + "index.m3u8", "404 not_found"},
		{"another scope", with(parts[2], parts[3], permit[0], b.id.String(), permit[2], permit[3]) + "index.m3u8", "404 not_found"},
		{"another key", with(parts[2], parts[3], permit[0], permit[1], "000000000000", permit[3]) + "index.m3u8", "404 not_found"},
		{"no signature", with(parts[2], parts[3], permit[0], permit[1], permit[2], "") + "index.m3u8", "404 not_found"},
		{"a shorter signature", with(parts[2], parts[3], permit[0], permit[1], permit[2], permit[3][:20]) + "index.m3u8", "404 not_found"},
		{"the signature's last bits", with(parts[2], parts[3], permit[0], permit[1], permit[2], permit[3][:42]+"_") + "index.m3u8", "404 not_found"},
		{"the version written otherwise", with(parts[2], "01", permit...) + "index.m3u8", "404 not_found"},
		{"the interview written otherwise", with(strings.ToUpper(parts[2]), parts[3], permit...) + "index.m3u8", "404 not_found"},
		{"a version that is not played", b.path(t, old) + "index.m3u8", "404 not_found"},
		{"a file that is not there", base + "seg_00002.m4s", "404 not_found"},
		{"a file of no known kind", base + "notes.txt", "404 not_found"},
		{"a sound file", base + "sound/000.wav", "404 not_found"},
		{"a sound file in disguise", base + "sound%2f000.wav", "404 not_found"},
		{"up", base + "..%2findex.m3u8", "404 not_found"},
		{"a hidden name", base + ".index.m3u8", "404 not_found"},
		{"no name", base, "404 not_found"},
		{"nothing", "/media/v1/", "404 not_found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			resp, _ := b.get(t, "GET", tc.path)
			if got := fmt.Sprintf("%d %s", resp.StatusCode, resp.Header.Get("Problem")); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

// Changes of the row take effect immediately, even if the address is still valid.
func TestCutOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.path(t, b.grant()) + "seg_00001.m4s"
	newLink := func() (address string) {
		t.Helper()
		made, err := viewing.CreateShare(t.Context(), b.DB, store.SystemChange(b.org), b.id, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		shared := b.grant()
		shared.Share = made.ID
		return b.path(t, shared) + "seg_00001.m4s"
	}
	want := func(what, path string, status int) {
		t.Helper()
		if resp, _ := b.get(t, "GET", path); resp.StatusCode != status {
			t.Errorf("%s: %d, want %d", what, resp.StatusCode, status)
		}
	}
	want("before", path, 200)
	first := newLink()
	want("shared", first, 200)
	second := newLink()
	want("shared by a link that was replaced", first, 404)
	want("shared by its replacement", second, 200)
	if err := viewing.RevokeShare(t.Context(), b.DB, store.SystemChange(b.org), b.id); err != nil {
		t.Fatal(err)
	}
	want("shared no more", second, 404)
	if err := privacy.DeleteInterview(t.Context(), b.DB, store.SystemChange(b.org), b.id); err != nil {
		t.Fatal(err)
	}
	want("deleted, and its blobs still there", path, 404)
}

// Addresses are valid as long as their key is in the keyring, primary or not.
func TestRotation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keyring := func(primary string, ids ...string) *seal.Keyring {
		var text bytes.Buffer
		fmt.Fprintf(&text, "primary: %s\nkeys:\n", primary)
		for _, id := range ids {
			fmt.Fprintf(&text, "  - {id: %s, key: \"%s=\"}\n", id, strings.Repeat(id, 43)[:42]+"A")
		}
		k, err := seal.ParseKeyring(text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	b.SetKeyring(keyring("a", "a"))
	first := b.path(t, b.grant())
	b.SetKeyring(keyring("b", "a", "b"))
	second := b.path(t, b.grant())
	b.SetKeyring(keyring("b", "b"))
	if first == second {
		t.Error("the new primary signs as the old one did")
	}
	if resp, _ := b.get(t, "GET", first+"index.m3u8"); resp.StatusCode != 404 {
		t.Errorf("signed by a key that was dropped: %d", resp.StatusCode)
	}
	if resp, _ := b.get(t, "GET", second+"index.m3u8"); resp.StatusCode != 200 {
		t.Errorf("signed by the primary: %d", resp.StatusCode)
	}
	b.SetKeyring(keyring("b", "a", "b"))
	if resp, _ := b.get(t, "GET", first+"index.m3u8"); resp.StatusCode != 200 {
		t.Errorf("signed by a key that is primary no more: %d", resp.StatusCode)
	}
}

func BenchmarkSegment(b *testing.B) {
	s := setup(b)
	if _, err := s.blobs.Put(context.Background(), interviews.MediaPrefix(s.id, 1)+"seg_00002.m4s", bytes.NewReader(make([]byte, 400<<10))); err != nil {
		b.Fatal(err)
	}
	path := s.path(b, s.grant()) + "seg_00002.m4s"
	for b.Loop() {
		if resp, body := s.get(b, "GET", path); resp.StatusCode != 200 || len(body) != 400<<10 {
			b.Fatalf("%d, %d bytes", resp.StatusCode, len(body))
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("0198f0c0-0000-7000-8000-000000000000", "1", "1700000000.play.abc.c2ln")
	f.Add("0198f0c0-0000-7000-8000-000000000000", "1", "1700000000.0198f0c0-0000-7000-8000-000000000001.abc.c2ln")
	f.Add("x", "-1", "....")
	keys := refusing{}
	f.Fuzz(func(t *testing.T, interview, version, permit string) {
		if g, err := media.Verify(keys, interview, version, permit, time.Now()); err == nil {
			t.Errorf("%+v passes, and nothing was signed", g)
		}
	})
}

// refusing has signed nothing.
type refusing struct{}

func (refusing) SignFor(string, []byte) (string, []byte, error) { return "", nil, nil }
func (refusing) VerifyFor(_, _ string, _ []byte, _ []byte) bool { return false }
