package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// trader goes through an interview by its link, as the interview's page does.
type trader struct {
	http *http.Client
	link string
}

// openLink returns a trader with a browser of its own.
func openLink(link string) *trader {
	return &trader{http: &http.Client{Timeout: time.Minute, Jar: &jar{cookies: map[string]*http.Cookie{}}}, link: link}
}

// jar keeps the cookies of one link. Unlike that of net/http/cookiejar, it sends Secure cookies to loopback
// addresses without TLS, as browsers do.
type jar struct {
	mu      sync.Mutex
	cookies map[string]*http.Cookie // by name
}

func (j *jar) SetCookies(_ *url.URL, cookies []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range cookies {
		j.cookies[c.Name] = c
	}
}

func (j *jar) Cookies(*url.URL) []*http.Cookie {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Collect(maps.Values(j.cookies))
}

// send sends a request below the link and decodes the response into out, which may be nil.
func (t *trader) send(ctx context.Context, req *http.Request, out any) (http.Header, error) {
	resp, err := t.http.Do(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	step := strings.TrimPrefix(req.URL.String(), t.link) // without the link, which is a secret
	if resp.StatusCode/100 != 2 {
		return nil, &apiError{method: req.Method, path: step, status: resp.StatusCode, body: strings.TrimSpace(string(body))}
	}
	if out != nil {
		if err := json.Unmarshal(body, out); err != nil {
			return nil, fmt.Errorf("answer to %s %s: %w", req.Method, step, err)
		}
	}
	return resp.Header, nil
}

// post sends a step of the interview.
func (t *trader) post(ctx context.Context, step string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.link+"/"+step, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	_, err = t.send(ctx, req, out)
	return err
}

func (t *trader) get(ctx context.Context, step string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.link+step, nil)
	if err != nil {
		return err
	}
	_, err = t.send(ctx, req, out)
	return err
}

// look opens the page of the link.
func (t *trader) look(ctx context.Context) error { return t.get(ctx, "", nil) }

// decline opens the link and refuses the interview.
func (t *trader) decline(ctx context.Context) error {
	if err := t.look(ctx); err != nil {
		return err
	}
	if err := t.post(ctx, "session", struct{}{}, nil); err != nil {
		return err
	}
	return t.post(ctx, "decline", struct{}{}, nil)
}

// start consents, checks the camera and begins. It returns the ids of the questions.
func (t *trader) start(ctx context.Context) (questions []string, err error) {
	if err := t.look(ctx); err != nil {
		return nil, err
	}
	if err := t.post(ctx, "session", struct{}{}, nil); err != nil {
		return nil, err
	}
	var landing struct {
		Consent struct {
			SHA256 string `json:"sha256"`
		} `json:"consent"`
	}
	if err := t.get(ctx, "/interview", &landing); err != nil {
		return nil, err
	}
	if err := t.post(ctx, "consent", map[string]any{"accepted": true, "sha256": landing.Consent.SHA256}, nil); err != nil {
		return nil, err
	}
	device := map[string]any{"outcome": "ok", "browser": "Chromium", "camera": "Test picture", "microphone": "Synthetic voice", "upload_kbps": 20_000}
	if err := t.post(ctx, "device-check", device, nil); err != nil {
		return nil, err
	}
	var state struct {
		Questions []struct {
			ID string `json:"id"`
		} `json:"questions"`
	}
	if err := t.post(ctx, "start", struct{}{}, &state); err != nil {
		return nil, err
	}
	for _, q := range state.Questions {
		questions = append(questions, q.ID)
	}
	return questions, nil
}

// serve shows a question.
func (t *trader) serve(ctx context.Context, question string) error {
	return t.post(ctx, "answers/"+question+"/serve", struct{}{}, nil)
}

// write answers a question in writing.
func (t *trader) write(ctx context.Context, question, text string) error {
	return t.post(ctx, "answers/"+question+"/seal", map[string]any{"text": text}, nil)
}

// speak answers a question with a recording. With leaves, the trader was elsewhere for a while.
func (t *trader) speak(ctx context.Context, question, mode string, leaves bool, record func() (recording, error)) error {
	media := "audio/webm;codecs=opus"
	if mode == onCamera {
		media = "video/webm;codecs=vp8,opus"
	}
	var take struct {
		Take int `json:"take"`
	}
	if err := t.post(ctx, "answers/"+question+"/takes", map[string]any{"mode": mode, "media_type": media}, &take); err != nil {
		return err
	}
	made, err := record()
	if err != nil {
		return err
	}
	if leaves {
		if err := t.leavePage(ctx, question); err != nil {
			return err
		}
	}
	if err := t.upload(ctx, question, take.Take, made.content); err != nil {
		return err
	}
	sum := sha256.Sum256(made.content)
	return t.post(ctx, "answers/"+question+"/seal", map[string]any{
		"take": take.Take, "bytes": len(made.content), "sha256": hex.EncodeToString(sum[:]), "duration_ms": made.length.Milliseconds(),
	}, nil)
}

// leavePage reports that the page was hidden for twelve seconds.
func (t *trader) leavePage(ctx context.Context, question string) error {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	text := hex.EncodeToString(id[:])
	return t.post(ctx, "events", map[string]any{"events": []any{map[string]any{
		"client_id": strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-"),
		"seq":       1, "kind": "tab_hidden", "at_ms": 30_000, "wall_at": time.Now().UTC().Format(time.RFC3339Nano), "question_id": question, "duration_ms": 12_000,
	}}}, nil)
}

// upload uploads a recording by the tus protocol.
func (t *trader) upload(ctx context.Context, question string, take int, content []byte) error {
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.link+"/uploads", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Tus-Resumable", "1.0.0")
	req.Header.Set("Upload-Length", strconv.Itoa(len(content)))
	req.Header.Set("Upload-Metadata", "question_id "+encode(question)+",take "+encode(strconv.Itoa(take)))
	header, err := t.send(ctx, req, nil)
	if err != nil {
		return err
	}
	at, err := req.URL.Parse(header.Get("Location"))
	if err != nil {
		return err
	}
	if req, err = http.NewRequestWithContext(ctx, http.MethodPatch, at.String(), bytes.NewReader(content)); err != nil {
		return err
	}
	req.Header.Set("Tus-Resumable", "1.0.0")
	req.Header.Set("Content-Type", "application/offset+octet-stream")
	req.Header.Set("Upload-Offset", "0")
	_, err = t.send(ctx, req, nil)
	return err
}

// submit ends the interview.
func (t *trader) submit(ctx context.Context) error { return t.post(ctx, "submit", struct{}{}, nil) }
