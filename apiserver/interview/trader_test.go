package interview_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/storetest"
)

func zoe() invite.New { return storetest.NewInterview("Zoe Miller", "zoe@example.com") }

// TestInterview goes through an interview as its page does.
func TestInterview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, zoe())
	p := b.trader(t, made)

	page := p.send(t, "GET", "", nil).want(t, "200 OK")
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow", "Content-Type": "text/html; charset=utf-8",
	} {
		if got := page.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	landing := p.send(t, "GET", "interview", nil).want(t, "200 OK").body
	for _, want := range []string{`"lawful_basis":"Our contract with you."`, `"question_count":2`, `"session":false`, `"retention_days":180`, `"minutes":4`} {
		if !strings.Contains(landing, want) {
			t.Errorf("the landing does not hold %s: %s", want, landing)
		}
	}
	s := p.started(t)
	if s.Status != "in_progress" || len(s.Questions) != 2 || s.Questions[0].Prompt != nil || s.Questions[0].ThinkLeftMS != nil {
		t.Fatalf("started: %+v", s)
	}
	if !strings.Contains(p.send(t, "GET", "interview", nil).body, `"session":true`) {
		t.Error("the landing does not know the browser")
	}
	first, second := s.Questions[0].ID, s.Questions[1].ID
	s = decodeInto[state](t, p.post(t, "answers/"+first.String()+"/serve", empty).want(t, "200 OK"))
	if q := s.Questions[0]; q.Prompt == nil || *q.Prompt != "How long do you hold?" || *q.ThinkLeftMS <= 0 || *q.ThinkLeftMS > 30_000 || s.Questions[1].Prompt != nil {
		t.Errorf("served: %+v", s.Questions)
	}
	take := p.open(t, first)
	location := p.create(t, first, take)
	recording := strings.Repeat("some bytes of a recording ", 1000)
	p.patch(t, location, 0, recording[:10_000]).want(t, "204 No Content")
	p.patch(t, location, 10_000, recording[10_000:], "Upload-Length", fmt.Sprint(len(recording))).want(t, "204 No Content")
	seal := map[string]any{"take": take, "bytes": len(recording), "sha256": sumOf(recording), "duration_ms": 42_000}
	p.post(t, "answers/"+first.String()+"/seal", seal).want(t, "200 OK")
	p.post(t, "answers/"+first.String()+"/seal", seal).want(t, "200 OK")
	p.post(t, "answers/"+second.String()+"/seal", map[string]any{"text": "Nothing more."}).want(t, "200 OK")
	s = p.state(t)
	var got []string
	for _, a := range s.Answers {
		got = append(got, fmt.Sprintf("%s %d %s %t", a.Mode, a.Take, a.Status, a.Counts))
	}
	if diff := cmp.Diff([]string{"video 1 sealed true", "text 1 sealed true"}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	p.post(t, "submit", empty).want(t, "204 No Content")
	p.send(t, "GET", "", nil).want(t, "410 Gone")
	p.send(t, "GET", "interview", nil).want(t, "410 link_over")

	i, err := interviews.ReadHead(t.Context(), b.DB, b.Org, made.ID)
	check(t, err)
	if i.Status != interviews.Processing || *i.Takes[0].MediaType != webm || *i.Device.Browser != "Chromium" {
		t.Errorf("kept: %s, %+v, %+v", i.Status, i.Takes[0], i.Device)
	}
	if kept := b.recording(t, i.Takes[0].ID); kept != recording {
		t.Errorf("kept %d bytes, which differ from the %d that were recorded", len(kept), len(recording))
	}
	if i.Consent == nil || !strings.Contains(i.Consent.Text, "Our contract with you.") || !strings.Contains(i.Consent.Text, "180 days") {
		t.Errorf("consent %+v", i.Consent)
	}
}

// TestOrder requests the steps of an interview too early.
func TestOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, tt := range []struct {
		name   string
		before func(t testing.TB, p *browser)
		path   string
		body   any
		want   string
	}{
		{"state without a session", nil, "", nil, "401 authentication_required"},
		{"consent without a session", nil, "consent", map[string]any{"accepted": true, "sha256": sumOf("")}, "401 authentication_required"},
		{"consent to another text", opened, "consent", map[string]any{"accepted": true, "sha256": sumOf("")}, "409 conflict"},
		{"consent that is none", opened, "consent", map[string]any{"accepted": false, "sha256": sumOf("")}, "422 validation_failed"},
		{"consent without a hash", opened, "consent", map[string]any{"accepted": true}, "422 validation_failed"},
		{"unknown member", opened, "consent", map[string]any{"accepted": true, "sha256": "", "x": 1}, "422 validation_failed"},
		{"start without consent", opened, "start", empty, "409 conflict"},
		{"start without a device", agreed, "start", empty, "409 conflict"},
		{"device that failed", agreed, "device-check", map[string]any{"outcome": "failed"}, "422 validation_failed"},
		{"device without an outcome", agreed, "device-check", empty, "422 validation_failed"},
		{"too much time", agreed, "device-check", map[string]any{"outcome": "ok", "extra_time": "3"}, "422 validation_failed"},
		{"start again", started, "start", empty, "200 OK"},
		{"decline after the start", started, "decline", empty, "409 interview_already_started"},
		{"submit without an answer", started, "submit", empty, "409 conflict"},
		{"submit before the start", agreed, "submit", empty, "409 conflict"},
		{"question that is none", started, "answers/x/takes", map[string]any{"mode": "video", "media_type": webm}, "404 not_found"},
		{"question of nobody", started, "answers/0198f0c0-0000-7000-8000-000000000000/takes", map[string]any{"mode": "video", "media_type": webm}, "404 not_found"},
		{"question before the start", agreed, "answers/Q/serve", empty, "409 conflict"},
		{"mode that is not allowed", started, "answers/Q/takes", map[string]any{"mode": "audio", "media_type": "audio/webm"}, "422 validation_failed"},
		{"mode that is none", started, "answers/Q/takes", map[string]any{"mode": "dance", "media_type": webm}, "422 validation_failed"},
		{"written take", started, "answers/Q/takes", map[string]any{"mode": "text"}, "422 validation_failed"},
		{"take of no type", started, "answers/Q/takes", map[string]any{"mode": "video"}, "422 validation_failed"},
		{"take of another type", started, "answers/Q/takes", map[string]any{"mode": "video", "media_type": "video/x-msvideo"}, "422 validation_failed"},
		{"seal of no take", started, "answers/Q/seal", map[string]any{"take": 1, "bytes": 1, "duration_ms": 1}, "404 not_found"},
		{"seal without bytes", recording, "answers/Q/seal", map[string]any{"take": 1, "bytes": 0, "duration_ms": 1}, "422 upload_incomplete"},
		{"seal of more bytes than came", recording, "answers/Q/seal", map[string]any{"take": 1, "bytes": 7, "duration_ms": 1}, "422 upload_incomplete"},
		{"seal with half a hash", recording, "answers/Q/seal", map[string]any{"take": 1, "bytes": 7, "duration_ms": 1, "sha256": "ab"}, "422 validation_failed"},
		{"empty text", started, "answers/Q/seal", map[string]any{"text": "  "}, "422 validation_failed"},
		{"second take beside the first", recording, "answers/Q/takes", map[string]any{"mode": "video", "media_type": webm}, "409 conflict"},
		{"written answer beside a recording", recording, "answers/Q/seal", map[string]any{"text": "words"}, "409 conflict"},
		{"abort of no take", started, "answers/Q/abort", map[string]any{"take": 1, "recorded_ms": 1}, "404 not_found"},
		{"no JSON", started, "start", strings.NewReader("start"), "415 unsupported_media_type"},
		{"speed test", agreed, "speed-test", strings.NewReader(strings.Repeat("x", 1<<18)), "204 No Content"},
		{"speed test of two megabytes", agreed, "speed-test", strings.NewReader(strings.Repeat("x", 2<<20)), "413 payload_too_large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := zoe()
			made := storetest.Interview(t, b.DB, b.Org, n)
			p := b.trader(t, made)
			if tt.before != nil {
				tt.before(t, p)
			}
			if tt.path == "" {
				p.send(t, "GET", "state", nil).want(t, tt.want)
				return
			}
			p.post(t, strings.ReplaceAll(tt.path, "/Q/", "/"+made.Questions[0].ID.String()+"/"), tt.body).want(t, tt.want)
		})
	}
}

func opened(t testing.TB, p *browser)  { t.Helper(); p.opened(t) }
func agreed(t testing.TB, p *browser)  { t.Helper(); p.agreed(t) }
func started(t testing.TB, p *browser) { t.Helper(); p.started(t) }
func recording(t testing.TB, p *browser) {
	t.Helper()
	p.open(t, p.started(t).Questions[0].ID)
}

// TestLinksThatAreNone sends all requests to links that never existed, and to one that has ended.
func TestLinksThatAreNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, zoe())
	p := b.trader(t, made).opened(t)
	id := made.Questions[0].ID.String()
	p.post(t, "decline", empty).want(t, "204 No Content")
	for _, path := range []string{
		"consent", "decline", "device-check", "speed-test", "start", "submit", "events", "answers/" + id + "/serve", "answers/" + id + "/takes", "answers/" + id + "/seal",
		"answers/" + id + "/abort", "uploads", "uploads/" + id,
	} {
		// Declining removed the cookie.
		p.post(t, path, empty).want(t, "401 authentication_required")
	}
	p.send(t, "GET", "", nil).want(t, "410 Gone")
	p.send(t, "GET", "interview", nil).want(t, "410 link_over")
	p.post(t, "session", empty).want(t, "410 link_over")
	i, err := interviews.ReadHead(t.Context(), b.DB, b.Org, made.ID)
	check(t, err)
	if i.Status != interviews.Declined {
		t.Errorf("status %s", i.Status)
	}
	stray := b.browse(t, "/i/"+strings.Repeat("x", 43))
	stray.send(t, "GET", "", nil).want(t, "404 Not Found")
	stray.send(t, "GET", "interview", nil).want(t, "404 not_found")
	stray.post(t, "session", empty).want(t, "404 not_found")
}

// TestStrays checks that clients that guess links are stopped, and holders of a link are not.
func TestStrays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	for n := range 21 {
		want := "404 Not Found"
		if n == 20 {
			want = "429 rate_limited"
		}
		page := "/i/"
		if n%2 == 1 {
			page = "/s/"
		}
		r := p.send(t, "GET", fmt.Sprintf("%s%043d", page, n), nil).want(t, want)
		if n == 20 && r.header.Get("Retry-After") == "" {
			t.Error("nobody says when to come back")
		}
	}
	p.send(t, "GET", "", nil).want(t, "200 OK")
	p.opened(t)
}

// TestLinksWhileTheDatabaseFails checks that a link is answered with the page, which asks again, and
// not with a problem document.
func TestLinksWhileTheDatabaseFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	b.Exec(t, `ALTER TABLE interviews RENAME TO away`)
	for _, path := range []string{"", "/s/" + strings.Repeat("x", 43)} {
		r := p.send(t, "GET", path, nil).want(t, "500 Internal Server Error")
		if kind := r.header.Get("Content-Type"); kind != "text/html; charset=utf-8" {
			t.Errorf("GET %q answers %s", path, kind)
		}
	}
	p.send(t, "GET", "interview", nil).want(t, "500 internal_error")
}

// TestPreviewers checks that opening a link uses nothing up.
func TestPreviewers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, zoe())
	for _, agent := range []string{"Slackbot-LinkExpanding 1.0", "Mozilla/5.0 (compatible; SafeLinks)", "WhatsApp/2.23"} {
		for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
			for _, path := range []string{"", "interview"} {
				r := b.trader(t, made).send(t, method, path, nil, "User-Agent", agent)
				want := http.StatusOK
				if method == "OPTIONS" {
					want = http.StatusMethodNotAllowed
				}
				if r.status != want || len(r.header.Values("Set-Cookie")) > 0 {
					t.Errorf("%s %q by %s: %d, cookies %v", method, path, agent, r.status, r.header.Values("Set-Cookie"))
				}
			}
		}
	}
	i, err := interviews.ReadHead(t.Context(), b.DB, b.Org, made.ID)
	check(t, err)
	if i.Status != interviews.Invited || i.OpenedAt == nil {
		t.Errorf("status %s, opened %v", i.Status, i.OpenedAt)
	}
	b.trader(t, made).started(t)
}

// TestCSRF checks that another site's page cannot change anything, whatever cookies it sends.
func TestCSRF(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	s := p.started(t)
	answers := "answers/" + s.Questions[0].ID.String()
	for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
		for _, path := range []string{
			"session", "consent", "decline", "device-check", "speed-test", "start", answers + "/serve", answers + "/takes", answers + "/seal", answers + "/abort", "submit", "events", "uploads",
		} {
			if got := p.send(t, "POST", path, empty, from...).outcome(t); got != "403 csrf_failed" {
				t.Errorf("POST %s with %v: %s", path, from, got)
			}
		}
		for _, method := range []string{"PATCH", "DELETE"} {
			if got := p.send(t, method, "uploads/"+s.Questions[0].ID.String(), nil, from...).outcome(t); got != "403 csrf_failed" {
				t.Errorf("%s of an upload with %v: %s", method, from, got)
			}
		}
	}
	p.send(t, "POST", answers+"/serve", empty, "Sec-Fetch-Site", "same-origin", "Origin", "https://assay.example").want(t, "200 OK")
}

// TestSessionExpires checks that a browser whose session has expired may continue with its link,
// which is not said to have ended.
func TestSessionExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, zoe())
	p := b.trader(t, made)
	p.started(t)
	b.Exec(t, `UPDATE interview_sessions SET expires_at = now() WHERE interview_id = $1`, made.ID)
	p.send(t, "GET", "state", nil).want(t, "401 authentication_required")
	if body := p.send(t, "GET", "interview", nil).want(t, "200 OK").body; !strings.Contains(body, `"session":false`) {
		t.Errorf("the page is told: %s", body)
	}
	p.opened(t)
	if p.state(t).StartedAt == nil {
		t.Error("the interview begins again")
	}
}

// TestSecondBrowser checks that a second browser that opens a link ends the first one's session,
// and that reviewers learn of it.
func TestSecondBrowser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, zoe())
	first, second := b.trader(t, made), b.trader(t, made)
	question := first.started(t).Questions[0].ID
	take := first.open(t, question)
	location := first.create(t, question, take)
	first.patch(t, location, 0, "some bytes").want(t, "204 No Content")

	second.opened(t)
	stale := "401 interview_taken_over"
	first.send(t, "GET", "state", nil).want(t, stale)
	first.patch(t, location, 10, "more").want(t, stale)
	first.post(t, "answers/"+question.String()+"/seal", map[string]any{"take": take, "bytes": 10, "duration_ms": 1000}).want(t, stale)
	first.post(t, "submit", empty).want(t, stale)
	if !strings.Contains(first.send(t, "GET", "interview", nil).body, `"session":false`) {
		t.Error("the first browser is told that it has a session")
	}

	// The second browser gives up the first one's take and continues.
	if a := second.state(t).Answers; len(a) != 1 || a[0].Status != "recording" {
		t.Fatalf("the second browser sees %+v", a)
	}
	second.post(t, "answers/"+question.String()+"/abort", map[string]any{"take": take}).want(t, "200 OK")
	second.post(t, "answers/"+question.String()+"/abort", map[string]any{"take": take}).want(t, "200 OK")
	if a := second.state(t).Answers; a[0].Status != "aborted" || a[0].Counts {
		t.Errorf("given up: %+v", a)
	}
	second.open(t, question)
	// And back again.
	first.opened(t)
	second.send(t, "GET", "state", nil).want(t, stale)

	d, err := interviews.Read(t.Context(), b.DB, b.Org, made.ID)
	check(t, err)
	var kinds []string
	for _, e := range d.AllEvents {
		kinds = append(kinds, e.Kind+" "+e.Severity)
	}
	if diff := cmp.Diff([]string{"session_taken_over medium", "take_broken_off info", "session_taken_over medium"}, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestSameBrowserResumes checks that two tabs of one browser share one session, and that opening
// the link again there is no takeover.
func TestSameBrowserResumes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, zoe())
	p := b.trader(t, made)
	before := p.started(t).SessionID
	tab := &browser{b, p.client, p.base}
	if got := tab.state(t).SessionID; got != before {
		t.Errorf("the second tab has session %s, the first %s", got, before)
	}
	// Somebody signs in to the dashboard with the same browser.
	site, err := url.Parse(b.server.URL)
	check(t, err)
	p.client.Jar.SetCookies(site, []*http.Cookie{{Name: "__Host-assay_device", Value: strings.Repeat("x", 100), Path: "/", Secure: true}})
	tab.opened(t)
	p.state(t) // the cookie belongs to the browser, not to the tab
	for _, c := range p.client.Jar.Cookies(site) {
		if c.Name == "__Host-assay_device" && c.Value != strings.Repeat("x", 100) {
			t.Error("the interview replaced the cookie of the sign-in")
		}
	}
	d, err := interviews.Read(t.Context(), b.DB, b.Org, made.ID)
	check(t, err)
	if len(d.AllEvents) != 1 || d.AllEvents[0].Kind != "session_resumed" || d.AllEvents[0].Severity != "info" {
		t.Errorf("events %+v", d.AllEvents)
	}
	// Two interviews in one browser do not end each other's session.
	other := storetest.Interview(t, b.DB, b.Org, zoe())
	beside := &browser{b, p.client, "/i/" + other.Token.Reveal()}
	beside.opened(t)
	p.state(t)
	beside.state(t)
}

// TestWritten checks that a written interview needs no device.
func TestWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	n := zoe()
	n.AnswerModes = []interviews.AnswerMode{interviews.AnswerText}
	made := storetest.Interview(t, b.DB, b.Org, n)
	p := b.trader(t, made).agreed(t)
	s := decodeInto[state](t, p.post(t, "start", empty).want(t, "200 OK"))
	path := "answers/" + s.Questions[0].ID.String()
	p.post(t, path+"/takes", map[string]any{"mode": "video", "media_type": webm}).want(t, "422 validation_failed")
	p.post(t, path+"/seal", map[string]any{"text": strings.Repeat("x", 20_001)}).want(t, "422 validation_failed")
	for _, text := range []string{"About four hours.", "About four hours.", "Five."} {
		p.post(t, path+"/seal", map[string]any{"text": text}).want(t, "200 OK")
	}
	p.post(t, path+"/seal", map[string]any{"text": "Six."}).want(t, "409 conflict") // two takes
	if a := p.state(t).Answers; len(a) != 2 || *a[1].Text != "Five." {
		t.Errorf("answers %+v", a)
	}
	p.post(t, "submit", empty).want(t, "204 No Content")
}

// TestAnotherWay checks that a request for another way to answer is recorded, and the requested
// time is granted.
func TestAnotherWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, zoe())
	p := b.trader(t, made).agreed(t)
	p.post(t, "device-check", map[string]any{"outcome": "overridden", "accommodation": "I stutter.", "extra_time": "1.5"}).want(t, "200 OK")
	s := decodeInto[state](t, p.post(t, "start", empty).want(t, "200 OK"))
	if q := s.Questions[0]; s.ExtraTimeFactor != 1.5 || q.ThinkSeconds != 45 || q.MaxSeconds != 180 {
		t.Errorf("factor %v, %+v", s.ExtraTimeFactor, q)
	}
	id := s.Questions[0].ID
	for n, seconds := range []int{190, 200} { // 180 and 15 are valid
		take := p.open(t, id)
		p.patch(t, p.create(t, id, take), 0, "bytes").want(t, "204 No Content")
		p.post(t, "answers/"+id.String()+"/seal", map[string]any{"take": take, "bytes": 5, "duration_ms": seconds * 1000}).want(t, "200 OK")
		d, err := interviews.Read(t.Context(), b.DB, b.Org, made.ID)
		check(t, err)
		if len(d.AllEvents) != n || *d.AccommodationNote != "I stutter." {
			t.Errorf("after %d s: %d events, note %v", seconds, len(d.AllEvents), d.AccommodationNote)
		}
	}
}
