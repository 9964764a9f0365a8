package attack_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
)

// trader is somebody with the link of an interview.
type trader struct {
	s       *site
	link    string // the path of the link
	cookies map[string]string
}

// call sends a request of the interview's page and decodes the answer.
func (v *trader) call(t *testing.T, method, path string, body any, answer any) {
	t.Helper()
	text, err := json.Marshal(body)
	check(t, err)
	req, err := http.NewRequestWithContext(t.Context(), method, v.s.URL+v.link+path, bytes.NewReader(text))
	check(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Cookie", v.cookie())
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err = io.ReadAll(res.Body)
	check(t, err)
	if res.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	for _, c := range res.Cookies() {
		v.cookies[c.Name] = c.Value
	}
	if answer != nil {
		check(t, json.Unmarshal(text, answer))
	}
}

func (v *trader) cookie() string {
	var list []string
	for name, value := range v.cookies {
		list = append(list, name+"="+value)
	}
	return strings.Join(list, "; ")
}

// beginTake goes through the interview until an answer is recorded, and returns the path
// of its upload.
func (v *trader) beginTake(t *testing.T) string {
	t.Helper()
	var landing struct {
		Consent struct {
			SHA256 string `json:"sha256"`
		} `json:"consent"`
	}
	v.call(t, http.MethodGet, "/interview", nil, &landing)
	v.call(t, http.MethodPost, "/session", struct{}{}, nil)
	v.call(t, http.MethodPost, "/consent", map[string]any{"accepted": true, "sha256": landing.Consent.SHA256}, nil)
	v.call(t, http.MethodPost, "/device-check", map[string]any{"outcome": "ok"}, nil)
	var begun struct{ Questions []struct{ ID string } }
	v.call(t, http.MethodPost, "/start", struct{}{}, &begun)
	var take struct {
		Take     int    `json:"take"`
		Endpoint string `json:"upload_endpoint"`
	}
	v.call(t, http.MethodPost, "/answers/"+begun.Questions[0].ID+"/takes", map[string]any{"mode": "video", "media_type": "video/webm"}, &take)
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	res := v.tus(t, http.MethodPost, take.Endpoint, "", "Upload-Defer-Length: 1\r\nUpload-Metadata: question_id "+encode(begun.Questions[0].ID)+",take "+encode(fmt.Sprint(take.Take))+"\r\n")
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("create the upload: %d", res.StatusCode)
	}
	return res.Header.Get("Location")
}

// tus sends a request with a body on a connection of its own and returns the answer.
func (v *trader) tus(t *testing.T, method, path, body, header string) *http.Response {
	t.Helper()
	conn := v.open(t, method, path, len(body), header+"\r\n"+body)
	check(t, conn.SetReadDeadline(time.Now().Add(3*time.Minute)))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	check(t, err)
	_ = res.Body.Close()
	return res
}

// open opens a connection and sends a request that announces so many bytes.
func (v *trader) open(t *testing.T, method, path string, length int, rest string) net.Conn {
	t.Helper()
	conn := v.s.dial(t)
	_, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: assay\r\nCookie: %s\r\nTus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: %d\r\n%s",
		method, path, v.cookie(), length, rest)
	check(t, err)
	return conn
}

// partBytes is how much apiserver stores before it counts.
const partBytes = 8 << 20

// attackDisk writes to one take of one interview from many connections at a time, none
// of which comes to its end, with and without a checksum, and looks at the disk.
func attackDisk(t *testing.T, s *site, size int) string {
	t.Helper()
	made := s.Call(t, http.MethodPost, "/v1/interviews", `{"trader": {"full_name": "Yan Li", "email": "yan@example.com"}, "auto_questions": 0}`, http.StatusCreated)
	link := made["invite_url"].(string)
	v := &trader{s, strings.TrimPrefix(link, s.URL), make(map[string]string)}
	upload := v.beginTake(t)
	counted := func() int64 { return int64(s.rows(t, `SELECT coalesce(sum(received), 0)::int FROM interview_takes`)) }
	before, countedBefore := s.blobBytes(t), counted() // other attacks have takes too
	large := v.tus(t, http.MethodPatch, upload, "", "Upload-Offset: 0\r\nUpload-Length: 536870913\r\n")
	if large.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a take that is too large: %d", large.StatusCode)
	}
	var peak atomic.Int64
	stop, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			peak.Store(max(peak.Load(), s.blobBytes(t)-before))
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	half := strings.Repeat("x", partBytes/2)
	var conns []net.Conn
	var answered atomic.Int64
	for n := range size {
		header := "Upload-Offset: 0\r\n"
		if n%2 == 0 {
			header += "Upload-Checksum: sha256 " + base64.StdEncoding.EncodeToString(make([]byte, 32)) + "\r\n"
		}
		conn := v.open(t, http.MethodPatch, upload, partBytes, header+"\r\n")
		go func() { _, _ = io.WriteString(conn, half) }() // ends when the server or the test closes
		go func() {
			if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
				_ = res.Body.Close()
				answered.Add(1)
			}
		}()
		conns = append(conns, conn)
	}
	storetest.Eventually(t, "all but the one that writes are answered", func() bool { return answered.Load() >= int64(size-1) })
	for _, conn := range conns {
		_ = conn.Close()
	}
	noted := func() int64 { return counted() - countedBefore }
	storetest.Eventually(t, "only what was counted is on the disk", func() bool { return s.blobBytes(t)-before == noted() })
	close(stop)
	<-watched
	if most := int64(3 * partBytes); peak.Load() > most {
		t.Errorf("one take took %d MiB of the disk, at most %d MiB are allowed", peak.Load()>>20, most>>20)
	}
	return fmt.Sprintf("at most %d MiB on the disk, %d MiB of them counted", peak.Load()>>20, noted()>>20)
}

// blobBytes is how many bytes the blobs take, including those that are being written.
func (s *site) blobBytes(t *testing.T) (n int64) {
	t.Helper()
	_ = filepath.WalkDir(s.Path("blobs"), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // removed meanwhile
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}
