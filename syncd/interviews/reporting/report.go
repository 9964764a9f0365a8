package reporting

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/media/transcript"
	"github.com/assayhq/assay/internal/interview/report"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// makeReport does the step report.
func (p *Pipeline) makeReport(ctx context.Context, claim worker.Claim) (outcome string, err error) {
	d, err := interviews.Read(ctx, p.Store, claim.OrganizationID, claim.InterviewID)
	if err != nil {
		return "", err
	}
	in, err := inputOf(&d)
	if err != nil {
		return "", err
	}
	now := claim.Now().Truncate(time.Millisecond)
	in.Version, in.GeneratedAt = claim.ReportVersion+1, now
	if in.Draft, err = p.draftReport(ctx, claim, in.Transcript); err != nil { // before the place, because the model takes its time
		return "", err
	}
	release, err := p.reservePlace(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	s, ok := p.handover.take(d.ID, d.Activity)
	if !ok {
		s, err = p.studyTrades(ctx, &d.Interview, now)
	}
	switch {
	case step.IsPermanent(err):
		in.ActivityFailed = true
	case err != nil:
		return "", err
	default:
		in.addTrades(s)
	}
	in.SameEmail = listSameEmail(&d.Interview, s.loaded)
	made, err := encodeReport(report.Assemble(in.Input))
	if err != nil {
		return "", err
	}
	made.Activity = s.text
	return "done", worker.FinishReport(ctx, p.Store, claim, made)
}

// input is a report's input in the making.
type input struct{ report.Input }

func (in *input) addTrades(s studied) {
	if isKnown(s.loaded) {
		in.Trades, in.Activity = &s.loaded.Input, s.activity
	}
	in.Accounts, in.Ended, in.ByEmail, in.FirstTrade = s.loaded.Accounts, s.loaded.Ended, s.loaded.ByEmail, s.loaded.FirstTrade
}

// draftReport asks the language model if the organization allows that, and returns
// nil otherwise. A failure there does not fail the report.
func (p *Pipeline) draftReport(ctx context.Context, claim worker.Claim, t *report.Transcript) (*report.Draft, error) {
	if p.Prose == nil || t == nil {
		return nil, nil //nolint:nilnil // no draft is not an error
	}
	settings, err := access.ReadSettings(ctx, p.Store, claim.OrganizationID)
	if err != nil || !settings.OffBoxProse {
		return nil, err
	}
	d := p.Prose.Write(ctx, t.Segments)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.Problem != "" {
		p.Log.WarnContext(ctx, "draft of a language model not used", "interview_id", claim.InterviewID, "problem", d.Problem)
	}
	return &d, nil
}

// encodeReport returns a report in its stored form.
func encodeReport(r *report.Report) (m worker.Report, err error) {
	m.AttentionLevel, m.ReviewPriority, m.Integrity = r.AttentionLevel, r.ReviewPriority, interviews.IntegritySummary(r.IntegritySummary)
	for _, f := range r.Findings {
		m.FindingKinds = append(m.FindingKinds, f.Kind)
		switch f.Severity {
		case result.High:
			m.Findings.High++
		case result.Medium:
			m.Findings.Medium++
		case result.Low:
			m.Findings.Low++
		}
	}
	if m.Report, err = json.Marshal(r); err != nil {
		return m, step.Permanent(fmt.Errorf("encode report: %w", err))
	}
	return m, nil
}

// inputOf returns what an interview contributes to its report.
func inputOf(d *interviews.Detail) (in input, err error) {
	in.Input = report.Input{
		Partial: d.Partial, FullscreenRequired: d.Integrity.Fullscreen == "require",
		MediaFailed: d.Step(steps.Media).Status == steps.Failed, TranscriptFailed: d.Step(steps.Transcript).Status == steps.Failed,
	}
	recorded, err := readRecorded(d.Media)
	if err != nil {
		return in, err
	}
	for _, q := range d.Questions {
		r := recorded[q.ID]
		in.Questions = append(in.Questions, report.Question{
			ID: q.ID.String(), Topic: q.Topic, Prompt: q.Prompt, Unanswered: q.UnansweredAt != nil, Unreadable: r.Unreadable != "", Cut: r.Cut,
		})
		if t := d.Answered(q.ID); t != nil && t.Status == interviews.TakeSealed {
			in.Takes = append(in.Takes, takeOf(t))
		}
	}
	moments := d.Moments()
	for n := range d.AllEvents {
		in.Events = append(in.Events, eventOf(&d.AllEvents[n], moments[n]))
	}
	for _, c := range d.Claims {
		in.Confirmed = append(in.Confirmed, c.ClaimID)
	}
	if d.Transcript == nil {
		return in, nil
	}
	in.Transcript, err = transcriptOf(d.Transcript)
	return in, err
}

// recordedAnswer is what the step media has stored about an answer.
type recordedAnswer struct {
	QuestionID uuid.UUID `json:"question_id"`
	Cut        bool      `json:"cut"`
	Unreadable string    `json:"unreadable"`
}

// readRecorded returns the recorded answers by question. There are none without media.
func readRecorded(m *interviews.Media) (map[uuid.UUID]recordedAnswer, error) {
	if m == nil || m.Details == nil {
		return nil, nil
	}
	var details struct {
		Answers []recordedAnswer `json:"answers"`
	}
	if err := json.Unmarshal(m.Details, &details); err != nil {
		return nil, step.Permanent(fmt.Errorf("read details of media: %w", err))
	}
	byQuestion := make(map[uuid.UUID]recordedAnswer, len(details.Answers))
	for _, a := range details.Answers {
		byQuestion[a.QuestionID] = a
	}
	return byQuestion, nil
}

// listSameEmail returns the other traders with the email of the interviewed one. loaded
// is nil if the trades could not be analyzed.
func listSameEmail(i *interviews.Interview, loaded *load.Loaded) (list []report.SameEmail) {
	for _, m := range i.EmailMatches {
		if m.TraderID != i.TraderID {
			list = append(list, report.SameEmail{
				Name: store.Deref(m.FullName), ExternalID: m.ExternalID, Platform: m.IntegrationName, Analyzed: loaded != nil && slices.Contains(loaded.SameEmail, m.TraderID),
			})
		}
	}
	return list
}

func takeOf(t *interviews.Take) report.Take {
	made := report.Take{QuestionID: t.QuestionID.String(), Recorded: t.Mode != interviews.AnswerText, At: t.RecordedAt}
	if t.DurationMS != nil {
		made.Lasted = time.Duration(*t.DurationMS) * time.Millisecond
	}
	return made
}

func eventOf(e *interviews.IntegrityEvent, at time.Time) report.Event {
	_, measured := e.Measured()
	return report.Event{ID: e.ID.String(), Kind: e.Kind, Severity: e.Severity, QuestionID: formatID(e.QuestionID), At: at, Lasted: e.Lasted(), Measured: measured}
}

// transcriptOf reads a stored transcript.
func transcriptOf(body json.RawMessage) (*report.Transcript, error) {
	var t transcript.Transcript
	if err := json.Unmarshal(body, &t); err != nil {
		return nil, step.Permanent(fmt.Errorf("read transcript: %w", err))
	}
	made := &report.Transcript{Engine: t.Engine, Model: t.Model, Language: t.Language, Quality: string(t.Quality)}
	for _, s := range t.Segments {
		to := claims.Segment{
			ID: s.ID, QuestionID: s.QuestionID, StartMS: int(s.StartMS), EndMS: int(s.EndMS), Text: s.Text, Confidence: s.Confidence,
			Typed: t.IsTyped(&s), Corrected: len(s.Corrections) > 0,
		}
		for _, w := range s.Words {
			to.Words = append(to.Words, claims.Word{Text: w.Text, StartMS: int(w.StartMS), EndMS: int(w.EndMS), Confidence: w.Confidence})
		}
		made.Segments = append(made.Segments, to)
	}
	return made, nil
}
