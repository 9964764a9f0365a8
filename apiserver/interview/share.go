package interview

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/viewing"
)

// SharedPage answers GET /s/{token} with the page of the shared report: with status 404 if the
// link never existed, and 410 if it has ended. It does not count as a view yet, because link
// previews also request the page.
func (h *Handler) SharedPage(w http.ResponseWriter, r *http.Request) error {
	return h.answerLinkPage(w, r, viewing.CheckShare(r.Context(), h.Store, tokenOf(r)), func(status int) error { return h.Pages.Share(w, status) })
}

// answerLinkPage answers with a page. Its status follows from err, the result of looking up the
// link. If the database fails, the page is what says so to people, and tries again.
func (h *Handler) answerLinkPage(w http.ResponseWriter, r *http.Request, err error, page func(status int) error) error {
	switch {
	case err == nil:
		return page(http.StatusOK)
	case errors.Is(err, store.ErrNotFound):
		if limited := h.refuseUnknown(r); limited.Code == problem.RateLimited {
			return limited
		}
		return page(http.StatusNotFound)
	case errors.Is(err, interviews.ErrInviteOver):
		return page(http.StatusGone)
	case r.Context().Err() != nil:
		return err
	}
	p := problem.From(err)
	event := middleware.EventFrom(r.Context())
	event.Problem, event.Cause = string(p.Code), p.Cause
	maps.Copy(w.Header(), p.Header)
	return page(p.Status())
}

// sharedReport is what a holder of a share link may see: what the page shows, and nothing else
// that the database stores with it.
type sharedReport struct {
	Firm        string           `json:"firm"`
	Trader      sharedTrader     `json:"trader"`
	Status      string           `json:"status"`
	Language    string           `json:"language"`
	CreatedAt   time.Time        `json:"created_at"`
	SubmittedAt *time.Time       `json:"submitted_at"`
	ExpiresAt   time.Time        `json:"expires_at"`
	Decision    *sharedDecision  `json:"decision"` // null if there is none, or it is not shared
	Questions   []sharedQuestion `json:"questions"`
	Report      *report          `json:"report"`     // null if there is none yet
	Transcript  *transcript      `json:"transcript"` // null if there is none yet
	Recording   *sharedRecording `json:"recording"`  // null if there is nothing to play
}

type sharedTrader struct {
	FullName string  `json:"full_name"`
	Email    *string `json:"email"` // masked
}

type sharedDecision struct {
	Value     string    `json:"value"`
	Reason    *string   `json:"reason"`
	DecidedAt time.Time `json:"decided_at"`
}

type sharedQuestion struct {
	ID     uuid.UUID `json:"id"`
	Prompt string    `json:"prompt"`
}

// storedReport is a report as it was stored. Shared replaces the members with the same names,
// because those also mention other traders' accounts.
type storedReport struct {
	report
	Findings []struct {
		finding
		Shareable bool `json:"shareable"`
	} `json:"findings"`
	ClaimChecks []struct {
		claimCheck
		Shareable bool `json:"shareable"`
	} `json:"claim_checks"`
	Shared struct {
		Summary        string `json:"summary"`
		AttentionLevel string `json:"attention_level"`
		// DataGaps is null in reports from before it existed.
		DataGaps []string `json:"data_gaps"`
	} `json:"shared"`
}

// report is the shared part of a report. Members that are not listed here are not shared:
// accounts, trades and events, which may belong to other people.
type report struct {
	Summary        string       `json:"summary"`
	AttentionLevel string       `json:"attention_level"`
	Findings       []finding    `json:"findings"`
	ClaimChecks    []claimCheck `json:"claim_checks"`
	DataGaps       []string     `json:"data_gaps"`
	Disclaimer     string       `json:"disclaimer"`
	GeneratedAt    *time.Time   `json:"generated_at"`
}

type finding struct {
	ID          string     `json:"id"`
	Kind        string     `json:"kind"`
	Area        string     `json:"area"`
	Severity    string     `json:"severity"`
	Title       string     `json:"title"`
	Detail      string     `json:"detail"`
	Evidence    []evidence `json:"evidence"`
	Limitations []string   `json:"limitations"`
}

// evidence is what the trader has said. The finding's detail describes evidence from trades,
// events and figures in words.
type evidence struct {
	Type      string `json:"type"`
	SegmentID string `json:"segment_id"`
	StartMS   int    `json:"start_ms"`
	EndMS     int    `json:"end_ms"`
	Quote     string `json:"quote"`
}

// said is the type of evidence that is shared.
const said = "transcript"

type claimCheck struct {
	ID        string  `json:"id"`
	Topic     string  `json:"topic"`
	Statement string  `json:"statement,omitempty"` // absent in reports from before it existed
	Quote     string  `json:"quote"`
	SegmentID string  `json:"segment_id"`
	StartMS   int     `json:"start_ms"`
	EndMS     int     `json:"end_ms"`
	Verdict   string  `json:"verdict"`
	Reason    *string `json:"reason"`
	Detail    string  `json:"detail"`
	Confirmed bool    `json:"confirmed"`
	Corrected bool    `json:"corrected"`
	Also      []again `json:"also,omitempty"`
	// EvidenceTotal is how many trades the verdict is based on. The trades themselves are not
	// shared.
	EvidenceTotal int `json:"evidence_total"`
}

// again refers to another place where the same is said.
type again struct {
	ID        string `json:"id"`
	Quote     string `json:"quote"`
	SegmentID string `json:"segment_id"`
	StartMS   int    `json:"start_ms"`
	EndMS     int    `json:"end_ms"`
}

type transcript struct {
	Engine   string    `json:"engine"`
	Quality  string    `json:"quality"`
	Timing   string    `json:"timing"`
	Segments []segment `json:"segments"`
}

type segment struct {
	ID          string       `json:"id"`
	QuestionID  string       `json:"question_id"`
	Take        int          `json:"take"`
	StartMS     int          `json:"start_ms"`
	EndMS       int          `json:"end_ms"`
	Text        string       `json:"text"`
	Confidence  *float64     `json:"confidence"`
	Engine      string       `json:"engine,omitempty"` // typed if it was written; empty means the transcript's
	Corrections []correction `json:"corrections,omitempty"`
}

// correction is a correction of a segment's words. Who made it and what it says are not shared.
type correction struct {
	CorrectedAt time.Time `json:"corrected_at"`
}

// sharedRecording describes a recording, for a page to show before anybody plays it.
type sharedRecording struct {
	DurationMS int     `json:"duration_ms"`
	Width      *int    `json:"width"` // in pixels; null if there is only sound
	Height     *int    `json:"height"`
	Answers    []place `json:"answers"`
}

// place is the position of an answer in the recording.
type place struct {
	QuestionID uuid.UUID `json:"question_id"`
	Take       int       `json:"take"`
	StartMS    int       `json:"start_ms"`
	EndMS      int       `json:"end_ms"`
}

// sharedRecordingOf returns nil if there is nothing to play.
func sharedRecordingOf(i interviews.Interview) *sharedRecording {
	if i.Media == nil {
		return nil
	}
	r := &sharedRecording{DurationMS: i.Media.DurationMS, Width: i.Media.Width, Height: i.Media.Height, Answers: []place{}}
	for _, q := range i.Questions {
		if t := i.Answered(q.ID); t != nil && t.StartMS != nil && t.EndMS != nil {
			r.Answers = append(r.Answers, place{q.ID, t.Take, *t.StartMS, *t.EndMS})
		}
	}
	return r
}

// SharedReport answers GET /s/{token}/report. Each call is noted as a view.
func (h *Handler) SharedReport(w http.ResponseWriter, r *http.Request) error {
	if err := h.limitLink(r); err != nil {
		return err
	}
	s, err := viewing.ReadShared(r.Context(), h.Store, tokenOf(r), middleware.EventFrom(r.Context()).ClientPrefix())
	if err != nil {
		return h.linkError(r, err)
	}
	shown, err := sharedOf(s)
	if err != nil {
		return err
	}
	return answerJSON(w, shown)
}

func sharedOf(s viewing.Shared) (b sharedReport, err error) {
	i := s.Interview
	b = sharedReport{
		Firm: s.OrganizationName, Trader: sharedTrader{Email: maskEmail(i.TraderEmail)}, Status: string(i.Status), Language: i.Language,
		CreatedAt: i.CreatedAt, SubmittedAt: i.SubmittedAt, ExpiresAt: s.Share.ExpiresAt, Questions: []sharedQuestion{}, Recording: sharedRecordingOf(i),
	}
	if i.TraderName != nil {
		b.Trader.FullName = *i.TraderName
	}
	if s.Share.IncludeDecision && len(i.Decisions) > 0 {
		v := i.Decisions[0]
		b.Decision = &sharedDecision{string(v.Decision), v.Reason, v.DecidedAt}
	}
	for _, q := range i.Questions {
		b.Questions = append(b.Questions, sharedQuestion{q.ID, q.Prompt})
	}
	if s.Report != nil {
		var stored storedReport
		if err := json.Unmarshal(s.Report, &stored); err != nil {
			return b, err
		}
		b.Report = stored.shareableReport()
		if b.Report.GeneratedAt == nil {
			b.Report.GeneratedAt = s.ReportedAt
		}
	}
	if s.Transcript != nil {
		b.Transcript = new(transcript)
		err = json.Unmarshal(s.Transcript, b.Transcript)
	}
	return b, err
}

// shareableReport returns the part that is shown: only findings and claims that do not mention
// other traders' accounts, and only evidence that was said.
func (s *storedReport) shareableReport() *report {
	r := s.report
	r.Summary, r.AttentionLevel = s.Shared.Summary, s.Shared.AttentionLevel
	if s.Shared.DataGaps != nil {
		r.DataGaps = s.Shared.DataGaps
	}
	for _, f := range s.Findings {
		if f.Shareable {
			f.Evidence = slices.DeleteFunc(f.Evidence, func(e evidence) bool { return e.Type != said })
			r.Findings = append(r.Findings, f.finding)
		}
	}
	for _, c := range s.ClaimChecks {
		if c.Shareable {
			r.ClaimChecks = append(r.ClaimChecks, c.claimCheck)
		}
	}
	return &r
}

// maskEmail masks an email address so that only its holder recognizes it: z•••@example.com.
func maskEmail(email *string) *string {
	if email == nil {
		return nil
	}
	name, host, ok := strings.Cut(*email, "@")
	if !ok || name == "" {
		return new("•••")
	}
	_, size := utf8.DecodeRuneInString(name)
	return new(name[:size] + "•••@" + host)
}

// defaultSharedTTL is how long the addresses of a shared recording are valid. A page requests new
// ones while a quarter of that, or a minute, is left.
const (
	defaultSharedTTL = 10 * time.Minute
	refreshEarly     = time.Minute
)

// playback says how to play a shared recording for a limited time.
type playback struct {
	ExpiresAt    time.Time `json:"expires_at"`
	RefreshAfter time.Time `json:"refresh_after"`
	Sources      []source  `json:"sources"`
	PosterURL    *string   `json:"poster_url"`
	SubtitlesURL *string   `json:"subtitles_url"`
}

type source struct {
	Kind     string `json:"kind"`
	MIMEType string `json:"mime_type"`
	URL      string `json:"url"`
}

// SharedPlayback answers POST /s/{token}/playback with addresses that end with the link. Each
// call is recorded.
func (h *Handler) SharedPlayback(w http.ResponseWriter, r *http.Request) error {
	if err := h.Origins.Check(r); err != nil {
		return err
	}
	if err := decode.NoBody(r); err != nil {
		return err
	}
	if err := h.limitLink(r); err != nil {
		return err
	}
	i, share, err := viewing.PlayShared(r.Context(), h.Store, tokenOf(r), middleware.EventFrom(r.Context()).ClientPrefix())
	switch {
	case errors.Is(err, viewing.ErrNoMedia):
		return err // the link exists
	case err != nil:
		return h.linkError(r, err)
	}
	expires := h.Now().UTC().Truncate(time.Second).Add(h.SharedTTL)
	signed, err := media.Sign(h.Store, media.Grant{Interview: i.ID, Version: i.Media.Version, Share: share, Expires: expires})
	if err != nil {
		return err
	}
	base := h.PublicURL + signed
	b := playback{
		ExpiresAt: expires, RefreshAfter: expires.Add(-min(refreshEarly, h.SharedTTL/4)),
		Sources: []source{{"hls", "application/vnd.apple.mpegurl", base + i.Media.Playlist}},
	}
	if i.Media.Poster != nil {
		b.PosterURL = new(base + *i.Media.Poster)
	}
	if i.Step(steps.Subtitles).Status == steps.Done {
		b.SubtitlesURL = new("/s/" + tokenOf(r) + "/subtitles")
	}
	return answerJSON(w, b)
}

// SharedSubtitles answers GET /s/{token}/subtitles with the captions.
func (h *Handler) SharedSubtitles(w http.ResponseWriter, r *http.Request) error {
	vtt, err := viewing.ReadSharedSubtitles(r.Context(), h.Store, tokenOf(r))
	switch {
	case errors.Is(err, viewing.ErrNoSubtitles):
		return err // the link exists
	case err != nil:
		return h.linkError(r, err)
	}
	return writePrivate(w, "text/vtt; charset=utf-8", []byte(vtt))
}
