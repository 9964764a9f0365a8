package deploytest

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Trader is somebody with the link of an interview.
type Trader struct {
	d       *Deployment
	link    string // the path of the link
	cookies map[string]string
}

// Invite invites a trader to an interview.
func (d *Deployment) Invite(t testing.TB) *Trader {
	t.Helper()
	made := d.Call(t, http.MethodPost, "/v1/interviews", `{"trader": {"full_name": "Yan Li", "email": "yan@example.com"}, "auto_questions": 0}`, http.StatusCreated)
	return &Trader{d, strings.TrimPrefix(made["invite_url"].(string), d.URL), make(map[string]string)}
}

// call sends a request of the interview's page and decodes the answer.
func (v *Trader) call(t testing.TB, method, path string, body any, answer any) {
	t.Helper()
	text, err := json.Marshal(body)
	check(t, err)
	req, err := http.NewRequestWithContext(t.Context(), method, v.d.URL+v.link+path, bytes.NewReader(text))
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

func (v *Trader) cookie() string {
	var list []string
	for name, value := range v.cookies {
		list = append(list, name+"="+value)
	}
	return strings.Join(list, "; ")
}

// BeginTake goes through the interview until an answer is recorded, and returns the path
// of its upload.
func (v *Trader) BeginTake(t testing.TB) string {
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
	status, header := v.Tus(t, http.MethodPost, take.Endpoint, "", "Upload-Defer-Length: 1\r\nUpload-Metadata: question_id "+encode(begun.Questions[0].ID)+",take "+encode(fmt.Sprint(take.Take))+"\r\n")
	if status != http.StatusCreated {
		t.Fatalf("create the upload: %d", status)
	}
	return header.Get("Location")
}

// Tus sends a request with a body on a connection of its own and returns the answer's status and header.
func (v *Trader) Tus(t testing.TB, method, path, body, header string) (status int, answer http.Header) {
	t.Helper()
	conn := v.Open(t, method, path, len(body), header+"\r\n"+body)
	check(t, conn.SetReadDeadline(time.Now().Add(3*time.Minute)))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	check(t, err)
	_ = res.Body.Close()
	return res.StatusCode, res.Header
}

// Open opens a connection and sends a request that announces so many bytes.
func (v *Trader) Open(t testing.TB, method, path string, length int, rest string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{Timeout: time.Minute}).DialContext(t.Context(), "tcp", strings.TrimPrefix(v.d.URL, "http://"))
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: assay\r\nCookie: %s\r\nTus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: %d\r\n%s",
		method, path, v.cookie(), length, rest)
	check(t, err)
	return conn
}
