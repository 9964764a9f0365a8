package storetest

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
)

// NewInterview returns an interview with a trader of the name and email, two questions of the firm,
// and none from the trader's data.
func NewInterview(name, email string) interviews.New {
	return interviews.New{
		Trader: &directory.NewTrader{FullName: name, Email: &email}, Reason: "other", Language: "en",
		AnswerModes: []interviews.AnswerMode{interviews.AnswerVideo, interviews.AnswerText}, WindowHours: 72, RetentionDays: 180, AllowUnanswered: true,
		Questions: []interviews.NewQuestion{
			{Prompt: "How long do you hold?", Topic: "holding_time", ThinkSeconds: 30, MaxSeconds: 120, MaxTakes: 2, Required: true},
			{Prompt: "Anything else?", Topic: interviews.TopicGeneral, ThinkSeconds: 0, MaxSeconds: 60, MaxTakes: 1},
		},
		Activity:  interviews.Scope{AccountIDs: []uuid.UUID{}, WindowDays: 90, Timezone: "UTC"},
		Integrity: interviews.IntegrityRules{Fullscreen: "ask", SecondScreen: "ask"},
	}
}

// Interview creates an interview that waits for its trader.
func Interview(t testing.TB, db *store.DB, orgID uuid.UUID, n interviews.New) interviews.Made {
	t.Helper()
	made, err := interviews.Create(t.Context(), db, store.SystemChange(orgID), n)
	if err != nil {
		t.Fatalf("make interview: %v", err)
	}
	return made
}

// Opened returns a trader's session in the interview. The trader has consented, and the device
// check has passed.
func Opened(t testing.TB, db *store.DB, made interviews.Made) interviews.TraderSession {
	t.Helper()
	begun, err := interviews.BeginTrial(t.Context(), db, made.Token.Reveal(), interviews.Browser{DeviceHash: []byte("one"), IPPrefix: "198.51.100.0/24"})
	if err != nil {
		t.Fatalf("begin session: %v", err)
	}
	if err := interviews.DecideConsent(t.Context(), db, begun.TraderSession, interviews.NewConsent{Accepted: true, TextVersion: "1", Text: "We record you."}); err != nil {
		t.Fatalf("consent: %v", err)
	}
	if err := interviews.CheckDevice(t.Context(), db, begun.TraderSession, interviews.Device{Outcome: interviews.DeviceOK}); err != nil {
		t.Fatalf("check device: %v", err)
	}
	return begun.TraderSession
}

// Started is like Opened, and starts the interview.
func Started(t testing.TB, db *store.DB, made interviews.Made) (interviews.TraderSession, interviews.Interview) {
	t.Helper()
	s := Opened(t, db, made)
	i, err := interviews.Start(t.Context(), db, s)
	if err != nil {
		t.Fatalf("start interview: %v", err)
	}
	return s, i
}

// Recorded seals a take of the question, whose bytes are those of the text in one part with the
// returned key. It writes no blob.
func Recorded(t testing.TB, db *store.DB, s interviews.TraderSession, question uuid.UUID, text string) (take interviews.Take, key string) {
	t.Helper()
	take, err := interviews.BeginTake(t.Context(), db, s, interviews.NewTake{QuestionID: question, Mode: interviews.AnswerVideo, MediaType: "video/webm"})
	if err != nil {
		t.Fatalf("begin take: %v", err)
	}
	key = interviews.TakePrefix(s.InterviewID, take.ID) + "0"
	if _, err := interviews.AppendTake(t.Context(), db, s, take.ID, interviews.TakePart{Bytes: int64(len(text)), Blob: key}, nil); err != nil {
		t.Fatalf("append to take: %v", err)
	}
	sum := sha256.Sum256([]byte(text))
	take, err = interviews.SealTake(t.Context(), db, s, take.ID, interviews.Sealing{Bytes: int64(len(text)), SHA256: sum[:], DurationMS: 5000})
	if err != nil {
		t.Fatalf("seal take: %v", err)
	}
	return take, key
}

// Submitted returns an interview whose required questions have been answered in video, and that the
// pipeline is processing.
func Submitted(t testing.TB, db *store.DB, orgID uuid.UUID, n interviews.New) interviews.Made {
	t.Helper()
	made := Interview(t, db, orgID, n)
	s, i := Started(t, db, made)
	for _, q := range i.Questions {
		if q.Required {
			Recorded(t, db, s, q.ID, strings.Repeat("x", 1000))
		}
	}
	if err := interviews.Submit(t.Context(), db, s); err != nil {
		t.Fatalf("submit interview: %v", err)
	}
	return made
}

// Claim claims a queued step for the test.
func Claim(t testing.TB, db *store.DB, orgID, id uuid.UUID, step interviews.StepName) interviews.StepClaim {
	t.Helper()
	i, err := interviews.ReadHead(t.Context(), db, orgID, id)
	if err != nil {
		t.Fatalf("read interview: %v", err)
	}
	// The step may be waiting for a retry.
	if _, err := db.Pool.Exec(t.Context(), `UPDATE interview_steps SET job_at = now() WHERE interview_id = $1 AND step = $2 AND status = 'queued'`, id, string(step)); err != nil {
		t.Fatalf("make step %s due: %v", step, err)
	}
	c, err := interviews.ClaimStep(t.Context(), db, id, step, patience)
	if err != nil {
		t.Fatalf("claim step %s, which is %s: %v", step, i.Step(step).Status, err)
	}
	return c
}

// Completed returns an interview with all results of the pipeline. phrase is what the trader has
// said.
func Completed(t testing.TB, db *store.DB, orgID uuid.UUID, n interviews.New, phrase string) interviews.Made {
	t.Helper()
	made := Submitted(t, db, orgID, n)
	Finish(t, db, orgID, made.ID, phrase)
	return made
}

// Finish completes all pipeline steps of an interview that has just been submitted.
func Finish(t testing.TB, db *store.DB, orgID, id uuid.UUID, phrase string) {
	t.Helper()
	do := func(step interviews.StepName, finish func(c interviews.StepClaim) error) {
		t.Helper()
		if err := finish(Claim(t, db, orgID, id, step)); err != nil {
			t.Fatalf("finish %s: %v", step, err)
		}
	}
	do(interviews.StepMedia, func(c interviews.StepClaim) error {
		return interviews.FinishMedia(t.Context(), db, c, interviews.MadeMedia{
			Version: c.NextMediaVersion(), Kind: interviews.AnswerVideo, DurationMS: 5000, Width: new(640), Height: new(480), Bytes: 100_000,
			Playlist: "index.m3u8", Poster: new("poster.jpg"),
		})
	})
	do(interviews.StepTranscript, func(c interviews.StepClaim) error {
		return interviews.FinishTranscript(t.Context(), db, c, interviews.MadeTranscript{
			Engine: "test", Quality: "draft", Transcript: []byte(`{"engine":"test","segments":[{"id":"s1","text":"` + phrase + `"}]}`),
		})
	})
	do(interviews.StepSubtitles, func(c interviews.StepClaim) error {
		return interviews.FinishSubtitles(t.Context(), db, c, "WEBVTT\n\ns1\n00:00:00.000 --> 00:00:05.000\n"+phrase+"\n")
	})
	do(interviews.StepActivity, func(c interviews.StepClaim) error {
		return interviews.FinishActivity(t.Context(), db, c, []byte(`{"metrics":{}}`))
	})
	do(interviews.StepReport, func(c interviews.StepClaim) error { return interviews.FinishReport(t.Context(), db, c, Report(phrase)) })
}

// Report returns a report with one finding and one claim, c1.
func Report(phrase string) interviews.MadeReport {
	return interviews.MadeReport{
		Report: []byte(`{"summary":"Said: ` + phrase + `","attention_level":"medium","findings":[{"id":"f1","kind":"burst","shareable":true}],` +
			`"claim_checks":[{"id":"c1","verdict":"inconsistent","shareable":true}],"shared":{"summary":"Said: ` + phrase + `","attention_level":"medium"}}`),
		AttentionLevel: "medium", ReviewPriority: 15, FindingKinds: []string{"burst"},
	}
}
