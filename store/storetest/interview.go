package storetest

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
)

// NewInterview returns an interview with a trader of the name and email, two questions of the firm,
// and none from the trader's data.
func NewInterview(name, email string) invite.New {
	return invite.New{
		Trader: &directory.NewTrader{FullName: name, Email: &email}, Reason: "other", Language: "en",
		AnswerModes: []interviews.AnswerMode{interviews.AnswerVideo, interviews.AnswerText}, WindowHours: 72, RetentionDays: 180, AllowUnanswered: true,
		Questions: []invite.Question{
			{Prompt: "How long do you hold?", Topic: "holding_time", ThinkSeconds: 30, MaxSeconds: 120, MaxTakes: 2, Required: true},
			{Prompt: "Anything else?", Topic: invite.TopicGeneral, ThinkSeconds: 0, MaxSeconds: 60, MaxTakes: 1},
		},
		Activity:  interviews.Scope{AccountIDs: []uuid.UUID{}, WindowDays: 90, Timezone: "UTC"},
		Integrity: interviews.IntegrityRules{Fullscreen: "ask", SecondScreen: "ask"},
	}
}

// Interview creates an interview that waits for its trader.
func Interview(t testing.TB, db *store.DB, orgID uuid.UUID, n invite.New) invite.Made {
	t.Helper()
	made, err := invite.Create(t.Context(), db, store.SystemChange(orgID), n)
	if err != nil {
		t.Fatalf("make interview: %v", err)
	}
	return made
}

// Opened returns a trader's session in the interview. The trader has consented, and the device
// check has passed.
func Opened(t testing.TB, db *store.DB, made invite.Made) answering.Session {
	t.Helper()
	begun, err := answering.BeginSession(t.Context(), db, made.Token.Reveal(), answering.Browser{DeviceHash: []byte("one"), IPPrefix: "198.51.100.0/24"})
	if err != nil {
		t.Fatalf("begin session: %v", err)
	}
	if err := answering.DecideConsent(t.Context(), db, begun.Session, answering.NewConsent{Accepted: true, TextVersion: "1", Text: "We record you."}); err != nil {
		t.Fatalf("consent: %v", err)
	}
	if err := answering.CheckDevice(t.Context(), db, begun.Session, interviews.Device{Outcome: interviews.DeviceOK}); err != nil {
		t.Fatalf("check device: %v", err)
	}
	return begun.Session
}

// Started is like Opened, and starts the interview.
func Started(t testing.TB, db *store.DB, made invite.Made) (answering.Session, interviews.Interview) {
	t.Helper()
	s := Opened(t, db, made)
	i, err := answering.Start(t.Context(), db, s)
	if err != nil {
		t.Fatalf("start interview: %v", err)
	}
	return s, i
}

// Recorded seals a take of the question, whose bytes are those of the text in one part with the
// returned key. It writes no blob.
func Recorded(t testing.TB, db *store.DB, s answering.Session, question uuid.UUID, text string) (take interviews.Take, key string) {
	t.Helper()
	take, err := answering.BeginTake(t.Context(), db, s, answering.NewTake{QuestionID: question, Mode: interviews.AnswerVideo, MediaType: "video/webm"})
	if err != nil {
		t.Fatalf("begin take: %v", err)
	}
	key = interviews.TakePrefix(s.InterviewID, take.ID) + "0"
	if _, err := answering.AppendTake(t.Context(), db, s, take.ID, answering.TakePart{Bytes: int64(len(text)), Blob: key}, nil); err != nil {
		t.Fatalf("append to take: %v", err)
	}
	sum := sha256.Sum256([]byte(text))
	take, err = answering.SealTake(t.Context(), db, s, take.ID, answering.Sealing{Bytes: int64(len(text)), SHA256: sum[:], DurationMS: 5000})
	if err != nil {
		t.Fatalf("seal take: %v", err)
	}
	return take, key
}

// Submitted returns an interview whose required questions have been answered in video, and that the
// pipeline is processing.
func Submitted(t testing.TB, db *store.DB, orgID uuid.UUID, n invite.New) invite.Made {
	t.Helper()
	made := Interview(t, db, orgID, n)
	s, i := Started(t, db, made)
	for _, q := range i.Questions {
		if q.Required {
			Recorded(t, db, s, q.ID, strings.Repeat("x", 1000))
		}
	}
	if err := answering.Submit(t.Context(), db, s); err != nil {
		t.Fatalf("submit interview: %v", err)
	}
	return made
}

// Claim claims a queued step for the test.
func Claim(t testing.TB, db *store.DB, orgID, id uuid.UUID, step steps.Name) worker.Claim {
	t.Helper()
	i, err := interviews.ReadHead(t.Context(), db, orgID, id)
	if err != nil {
		t.Fatalf("read interview: %v", err)
	}
	// The step may be waiting for a retry.
	if _, err := db.Pool.Exec(t.Context(), `UPDATE interview_steps SET job_at = now() WHERE interview_id = $1 AND step = $2 AND status = 'queued'`, id, string(step)); err != nil {
		t.Fatalf("make step %s due: %v", step, err)
	}
	c, err := worker.ClaimOne(t.Context(), db, id, step, patience)
	if err != nil {
		t.Fatalf("claim step %s, which is %s: %v", step, i.Step(step).Status, err)
	}
	return c
}

// Completed returns an interview with all results of the pipeline. phrase is what the trader has
// said.
func Completed(t testing.TB, db *store.DB, orgID uuid.UUID, n invite.New, phrase string) invite.Made {
	t.Helper()
	made := Submitted(t, db, orgID, n)
	Finish(t, db, orgID, made.ID, phrase)
	return made
}

// Finish completes all pipeline steps of an interview that has just been submitted.
func Finish(t testing.TB, db *store.DB, orgID, id uuid.UUID, phrase string) {
	t.Helper()
	do := func(step steps.Name, finish func(c worker.Claim) error) {
		t.Helper()
		if err := finish(Claim(t, db, orgID, id, step)); err != nil {
			t.Fatalf("finish %s: %v", step, err)
		}
	}
	do(steps.Media, func(c worker.Claim) error {
		return worker.FinishMedia(t.Context(), db, c, worker.Media{
			Version: c.NextMediaVersion(), Kind: interviews.AnswerVideo, DurationMS: 5000, Width: new(640), Height: new(480), Bytes: 100_000,
			Playlist: "index.m3u8", Poster: new("poster.jpg"),
		})
	})
	do(steps.Transcript, func(c worker.Claim) error {
		return worker.FinishTranscript(t.Context(), db, c, worker.Transcript{
			Engine: "test", Quality: "draft", Transcript: []byte(`{"engine":"test","segments":[{"id":"s1","text":"` + phrase + `"}]}`),
		})
	})
	do(steps.Subtitles, func(c worker.Claim) error {
		return worker.FinishSubtitles(t.Context(), db, c, "WEBVTT\n\ns1\n00:00:00.000 --> 00:00:05.000\n"+phrase+"\n")
	})
	do(steps.Activity, func(c worker.Claim) error {
		return worker.FinishActivity(t.Context(), db, c, []byte(someActivity))
	})
	do(steps.Report, func(c worker.Claim) error { return worker.FinishReport(t.Context(), db, c, Report(phrase)) })
}

const someActivity = `{"metrics":{}}`

// Report returns a report with one finding and one claim, c1.
func Report(phrase string) worker.Report {
	return worker.Report{
		Report: []byte(`{"summary":"Said: ` + phrase + `","attention_level":"medium","findings":[{"id":"f1","kind":"burst","severity":"medium","shareable":true}],` +
			`"claim_checks":[{"id":"c1","verdict":"inconsistent","shareable":true}],"shared":{"summary":"Said: ` + phrase + `","attention_level":"medium"}}`),
		Activity: []byte(someActivity), AttentionLevel: "medium", ReviewPriority: 15, FindingKinds: []string{"burst"}, Findings: interviews.FindingCounts{Medium: 1},
	}
}
