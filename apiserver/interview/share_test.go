package interview_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/storetest"
)

// marker is text that must never reach a holder of a link to a report.
const marker = "MARKER"

// told is a report that mentions other people in addition to what is shared.
const told = `{
  "version": 1, "status": "done", "summary": "MARKER", "attention_level": "high", "review_priority": 15, "disclaimer": "Observations.", "data_gaps": ["No stop data."],
  "shared": {"summary": "Summary.", "attention_level": "medium"}, "summary_draft": {"text": "MARKER"}, "inputs": {"accounts": "MARKER"}, "unheard_of": "MARKER",
  "findings": [{"id": "f1", "kind": "short_holding", "area": "activity", "severity": "medium", "title": "Short holding times", "detail": "Twelve trades.", "limitations": ["Few."],
    "metric": {"name": "MARKER"}, "evidence_total": 3, "suggested_question": "MARKER", "shareable": true,
    "evidence": [{"type": "trade", "account_id": "MARKER", "trade_id": "MARKER", "own": false}, {"type": "integrity_event", "event_id": "MARKER"},
      {"type": "metric", "path": "MARKER"}, {"type": "transcript", "segment_id": "s1", "start_ms": 0, "end_ms": 900, "quote": "I trade alone"}]},
   {"id": "f2", "kind": "copied_trades", "severity": "high", "title": "MARKER", "detail": "MARKER", "shareable": false},
   {"id": "f3", "kind": "claim_inconsistent", "severity": "high", "title": "MARKER", "detail": "MARKER"}],
  "claim_checks": [{"id": "c1", "topic": "holding_time", "statement": "holds positions for at most 5 minutes", "also": [{"id": "c9", "quote": "I scalp", "segment_id": "s1", "start_ms": 0, "end_ms": 900, "unheard_of": "MARKER"}], "evidence_total": 3, "quote": "I trade alone", "segment_id": "s1", "start_ms": 0, "end_ms": 900, "verdict": "inconsistent", "reason": null,
    "detail": "Held for less.", "observed": {"name": "MARKER"}, "evidence": [{"type": "trade", "account_id": "MARKER"}], "shareable": true},
   {"id": "c2", "topic": "other_people", "quote": "MARKER", "verdict": "consistent", "detail": "MARKER", "shareable": false}, {"id": "c3", "detail": "MARKER"}],
  "integrity_summary": {"low": 1}}`

// reported is an interview with a report and a person's decisions.
func (b *testServer) reported(t testing.TB) invite.Made {
	t.Helper()
	n := zoe()
	n.Metadata = []byte(`{"note": "MARKER"}`)
	made := storetest.Completed(t, b.DB, b.Org, n, "I trade alone")
	_, err := review.RegenerateReport(t.Context(), b.DB, store.SystemChange(b.Org), made.ID)
	check(t, err)
	check(t, worker.FinishActivity(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Activity), []byte(`{}`)))
	check(t, worker.FinishReport(t.Context(), b.DB, storetest.Claim(t, b.DB, b.Org, made.ID, steps.Report), worker.Report{Report: []byte(told), AttentionLevel: "medium"}))
	_, err = review.Decide(t.Context(), b.DB, store.SystemChange(b.Org), made.ID, interviews.DecisionRejected, new("DECIDED"))
	check(t, err)
	return made
}

// share creates a link and opens it.
func (b *testServer) share(t testing.TB, id uuid.UUID, decision bool) *browser {
	t.Helper()
	made, err := viewing.CreateShare(t.Context(), b.DB, store.SystemChange(b.Org), id, 24, decision)
	check(t, err)
	return b.browse(t, "/s/"+made.Token.Reveal())
}

// TestLinksAreThrottled checks that nobody writes a row with every request of a link, and that other
// links are not affected.
func TestLinksAreThrottled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.reported(t)
	p := b.share(t, made.ID, false)
	for range 30 {
		p.send(t, "GET", "report", nil).want(t, "200 OK")
		p.post(t, "playback", nil)
	}
	if r := p.send(t, "GET", "report", nil).want(t, "429 rate_limited"); r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	p.post(t, "playback", nil).want(t, "429 rate_limited")
	b.share(t, made.ID, false).send(t, "GET", "report", nil).want(t, "200 OK")

	trader := b.trader(t, storetest.Interview(t, b.DB, b.Org, zoe()))
	question := trader.started(t).Questions[0].ID
	for range 60 {
		trader.post(t, "answers/"+question.String()+"/takes", map[string]any{"mode": "video", "media_type": "video/webm"})
	}
	trader.post(t, "answers/"+question.String()+"/takes", nil).want(t, "429 rate_limited")
	trader.send(t, "GET", "state", nil).want(t, "200 OK")
}

func TestSharedReport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.reported(t)
	_, err := storetest.Conn(t, b.URL).Exec(t.Context(), `UPDATE interview_transcripts SET transcript = '{"engine":"test","segments":[{"id":"s1","text":"I trade alone"},{"id":"s2","text":"Only gold.","engine":"typed"}]}'`)
	check(t, err)
	p := b.share(t, made.ID, false)
	page := p.send(t, "GET", "", nil).want(t, "200 OK")
	if page.header.Get("X-Robots-Tag") != "noindex, nofollow" || page.header.Get("Cache-Control") != "no-store" {
		t.Errorf("header %v", page.header)
	}
	r := p.send(t, "GET", "report", nil).want(t, "200 OK")
	for _, want := range []string{
		`"email":"z•••@example.com"`, `"full_name":"Zoe Miller"`, `"summary":"Summary."`, `"decision":null`, `"quote":"I trade alone"`, `"title":"Short holding times"`,
		`"attention_level":"medium"`, `"verdict":"inconsistent"`, `"statement":"holds positions for at most 5 minutes"`, `"quote":"I scalp"`, `"data_gaps":["No stop data."]`, `"recording":{"duration_ms":`, `"prompt":"How long do you hold?"`, `"text":"I trade alone"`,
		`"engine":"typed"`,
	} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the report does not hold %s", want)
		}
	}
	for _, secret := range []string{marker, "zoe@", "DECIDED", `"type":"trade"`, made.ID.String(), b.Org.String(), made.TraderID.String()} {
		if strings.Contains(r.body, secret) {
			t.Errorf("the report holds %s: %s", secret, r.body)
		}
	}
	if r := b.share(t, made.ID, true).send(t, "GET", "report", nil).want(t, "200 OK"); !strings.Contains(r.body, `"reason":"DECIDED"`) {
		t.Errorf("the decision is to be shared, and is not: %s", r.body)
	}
	// The new link replaced the old one.
	p.send(t, "GET", "", nil).want(t, "410 Gone")
	p.send(t, "GET", "report", nil).want(t, "410 link_over")
}

func TestSharedPlayback(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.reported(t)
	for name, content := range map[string]string{"index.m3u8": "#EXTM3U\n", "poster.jpg": "jpg"} {
		_, err := b.blobs.Put(t.Context(), interviews.MediaPrefix(made.ID, 1)+name, strings.NewReader(content))
		check(t, err)
	}
	p := b.share(t, made.ID, false)
	play := decodeInto[struct {
		Sources []struct {
			URL string `json:"url"`
		} `json:"sources"`
		PosterURL    string `json:"poster_url"`
		SubtitlesURL string `json:"subtitles_url"`
	}](t, p.post(t, "playback", nil).want(t, "200 OK"))
	signed := strings.TrimPrefix(play.Sources[0].URL, "https://assay.example")
	if strings.Contains(signed, ".play.") {
		t.Errorf("signed for %s", signed)
	}
	stranger := b.browse(t, "")
	if r := stranger.send(t, "GET", signed, nil).want(t, "200 OK"); r.body != "#EXTM3U\n" {
		t.Errorf("the playlist is %q", r.body)
	}
	stranger.send(t, "GET", strings.TrimPrefix(play.PosterURL, "https://assay.example"), nil).want(t, "200 OK")
	captions := p.send(t, "GET", play.SubtitlesURL, nil).want(t, "200 OK")
	if !strings.HasPrefix(captions.body, "WEBVTT") || captions.header.Get("Content-Type") != "text/vtt; charset=utf-8" {
		t.Errorf("captions %q, %s", captions.body, captions.header.Get("Content-Type"))
	}
	p.send(t, "POST", "playback", nil, "Sec-Fetch-Site", "cross-site").want(t, "403 csrf_failed")

	check(t, viewing.RevokeShare(t.Context(), b.DB, store.SystemChange(b.Org), made.ID))
	p.send(t, "GET", "", nil).want(t, "410 Gone")
	p.send(t, "GET", "report", nil).want(t, "410 link_over")
	p.post(t, "playback", nil).want(t, "410 link_over")
	p.send(t, "GET", play.SubtitlesURL, nil).want(t, "410 link_over")
	stranger.send(t, "GET", signed, nil).want(t, "404 not_found")
	stray := b.browse(t, "/s/"+strings.Repeat("x", 43))
	stray.send(t, "GET", "", nil).want(t, "404 Not Found")
	for _, path := range []string{"report", "subtitles"} {
		stray.send(t, "GET", path, nil).want(t, "404 not_found")
	}
	stray.post(t, "playback", nil).want(t, "404 not_found")
}

// TestSharedViews checks that viewing the report is recorded, and opening the link is not.
func TestSharedViews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.reported(t)
	p := b.share(t, made.ID, false)
	for range 3 {
		p.send(t, "GET", "", nil).want(t, "200 OK")
	}
	for range 2 {
		p.send(t, "GET", "report", nil).want(t, "200 OK")
	}
	p.post(t, "playback", nil).want(t, "200 OK")
	var kinds string
	check(t, storetest.Conn(t, b.URL).QueryRow(t.Context(), `SELECT string_agg(kind, ' ' ORDER BY kind, id) FROM interview_views
    WHERE interview_id = $1 AND ip_prefix = '127.0.0.0/24' AND viewer IS NULL AND share_id IS NOT NULL`, made.ID).Scan(&kinds))
	i, err := interviews.ReadHead(t.Context(), b.DB, b.Org, made.ID)
	check(t, err)
	if kinds != "playback share share" || i.Share.ViewCount != 2 {
		t.Errorf("views %q, counted %d", kinds, i.Share.ViewCount)
	}
}

// TestSharedBeforeTheReport checks what is shown before there is a report.
func TestSharedBeforeTheReport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.share(t, storetest.Interview(t, b.DB, b.Org, zoe()).ID, true)
	r := p.send(t, "GET", "report", nil).want(t, "200 OK")
	for _, want := range []string{`"status":"invited"`, `"report":null`, `"transcript":null`, `"decision":null`, `"recording":null`} {
		if !strings.Contains(r.body, want) {
			t.Errorf("%s is missing: %s", want, r.body)
		}
	}
	p.post(t, "playback", nil).want(t, "404 media_not_available")
	p.send(t, "GET", "subtitles", nil).want(t, "404 subtitles_not_found")
	submitted := b.share(t, storetest.Submitted(t, b.DB, b.Org, zoe()).ID, true)
	submitted.post(t, "playback", nil).want(t, "409 media_processing")
}

// TestSharedReportIsWhole checks that missing members of a report become empty lists.
func TestSharedReportIsWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Completed(t, b.DB, b.Org, zoe(), "phrase")
	r := b.share(t, made.ID, false).send(t, "GET", "report", nil).want(t, "200 OK")
	for _, want := range []string{`"data_gaps":[]`, `"limitations":[]`, `"evidence":[]`, `"id":"c1"`} {
		if !strings.Contains(r.body, want) {
			t.Errorf("%s is missing: %s", want, r.body)
		}
	}
}
