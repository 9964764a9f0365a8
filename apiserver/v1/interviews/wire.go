package interviews

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
)

// interviewOf converts an interview to its wire form.
func interviewOf(i interviews.Interview) interviewBody {
	b := interviewBody{
		ID: i.ID, Reference: i.Reference, Reason: i.Reason, Status: i.Status, Partial: i.Partial,
		Trader: interviewTraderBody{ID: i.TraderID, FullName: i.TraderName, Email: i.TraderEmail, ExternalID: i.TraderExternalID},
		EmailMatches: response.ConvertRows(i.EmailMatches, func(m interviews.EmailMatch) emailMatchBody {
			return emailMatchBody{m.TraderID, m.IntegrationID, m.IntegrationName, m.ExternalID, m.FullName}
		}),
		Language: i.Language, AnswerModes: i.AnswerModes, Questions: response.ConvertRows(i.Questions, questionOf), AllowUnanswered: i.AllowUnanswered, Answers: answersOf(i),
		Invite:   inviteBody{ExpiresAt: i.InviteExpiresAt, OpenedAt: i.OpenedAt, ReissueCount: i.ReissueCount, LastReissuedAt: i.LastReissuedAt},
		Activity: tradeScopeBody(i.Activity), Integrity: rulesBody(i.Integrity), Pipeline: pipelineOf(i), Media: mediaOf(i),
		ReportStatus: reportStatusOf(i), ReportVersion: i.ReportVersion, SubtitlesStatus: i.Step(steps.Subtitles).Status,
		AttentionLevel: i.AttentionLevel, ReviewPriority: i.ReviewPriority,
		Findings:         findingCountsBody(i.Findings),
		IntegritySummary: integritySummaryBody(i.Seen()),
		DecisionHistory:  response.ConvertRows(i.Decisions, verdictOf),
		Communication:    communicationBody{Done: i.CommunicatedAt != nil, DoneBy: i.CommunicatedBy, DoneAt: i.CommunicatedAt},
		ConfirmedClaims: response.ConvertRows(i.Claims, func(c interviews.ClaimConfirmation) confirmedClaimBody {
			return confirmedClaimBody{c.ClaimID, c.ConfirmedBy, c.ConfirmedAt}
		}),
		RetakeOfID: i.RetakeOfID, Retakes: i.Retakes, RetentionDays: i.RetentionDays, RecordPurgeAt: i.RecordPurgeAt,
		Metadata: jsontext.Value(i.Metadata), CreatedBy: i.CreatedBy, CreatedAt: i.CreatedAt, StartedAt: i.StartedAt, SubmittedAt: i.SubmittedAt,
		CompletedAt: i.CompletedAt, CompleteBy: i.CompleteBy, UpdatedAt: i.UpdatedAt,
	}
	if len(b.DecisionHistory) > 0 {
		b.Decision = &b.DecisionHistory[0]
	}
	if i.AssigneeID != nil {
		b.Assignee = &assigneeBody{*i.AssigneeID, i.AssigneeName}
	}
	if i.HoldAt != nil {
		b.LegalHold = &holdBody{*i.HoldAt, i.HoldBy, i.HoldReason}
	}
	if i.AccommodationAt != nil {
		b.NeedsAccommodation = &accommodationBody{*i.AccommodationAt, valueOf(i.AccommodationNote)}
	}
	b.fromTrader(i)
	return b
}

// fromTrader adds what the trader and others have contributed.
func (b *interviewBody) fromTrader(i interviews.Interview) {
	if c := i.Consent; c != nil && c.Accepted {
		b.Consent = &consentBody{c.TextVersion, sha256Of(c.SHA256), c.DecidedAt}
	}
	if d := i.Device; d != nil {
		b.Device = &deviceBody{d.Outcome, d.Browser, d.OS, d.Camera, d.Microphone, d.Screen}
	}
	if s := i.Share; s != nil {
		b.Share = &shareBody{s.Active, s.ExpiresAt, s.IncludeDecision, s.ViewCount, s.LastViewedAt}
	}
	if f := i.ActivityFile; f != nil {
		b.ActivityFile = &interviewFileBody{f.Name, f.Bytes, f.Rows, sha256Of(f.SHA256), f.UploadedAt}
	}
}

// valueOf returns the value that p points to, or the zero value if p is nil.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func questionOf(q interviews.Question) questionBody {
	return questionBody{
		ID: q.ID, Index: q.Index, Prompt: q.Prompt, Topic: q.Topic, ThinkSeconds: q.ThinkSeconds, MaxSeconds: q.MaxSeconds, MaxTakes: q.MaxTakes,
		Required: q.Required, Source: q.Source, FindingKind: q.FindingKind,
	}
}

func answersOf(i interviews.Interview) []answerBody {
	return response.ConvertRows(i.Questions, func(q interviews.Question) answerBody { return answerOf(q, i.Answered(q.ID)) })
}

func answerOf(q interviews.Question, t *interviews.Take) answerBody {
	if t == nil {
		return answerBody{QuestionID: q.ID, Status: "missing", UnansweredAt: q.UnansweredAt}
	}
	return answerBody{
		QuestionID: q.ID, Take: &t.Take, Mode: (*string)(&t.Mode), Status: string(t.Status), DurationMS: t.DurationMS, StartMS: t.StartMS, EndMS: t.EndMS,
		RecordedAt: &t.RecordedAt, UnansweredAt: q.UnansweredAt,
	}
}

func pipelineOf(i interviews.Interview) pipelineBody {
	step := func(name steps.Name) pipelineStepBody {
		s := i.Step(name)
		return pipelineStepBody{s.Status, s.Attempts, s.LastError}
	}
	return pipelineBody{step(steps.Media), step(steps.Transcript), step(steps.Subtitles), step(steps.Activity), step(steps.Report)}
}

func mediaOf(i interviews.Interview) *interviewMediaBody {
	if i.Media == nil {
		return nil
	}
	return &interviewMediaBody{i.Media.DurationMS, i.Media.Width, i.Media.Height, i.Media.Bytes, i.MediaPurgeAt}
}

// reportStatusOf returns the status of the report. A report that waits for the trader counts as
// none, unless somebody has requested it.
func reportStatusOf(i interviews.Interview) reportStatus {
	switch s := i.Step(steps.Report); {
	case s.Status == steps.Running:
		return reportRunning
	case s.Status == steps.Queued, s.Status == steps.Pending && (s.JobID != nil || i.Status == interviews.Processing):
		return reportQueued
	case s.Status == steps.Failed:
		return reportFailed
	case i.ReportVersion > 0 && i.PurgedAt == nil:
		return reportReady
	}
	return reportNone
}

func verdictOf(d interviews.Verdict) verdictBody {
	return verdictBody{d.Decision, d.Reason, d.DecidedBy, d.DecidedAt}
}

// DetailOf converts an interview, with its report, transcript, events and activity, to its wire form.
func DetailOf(d interviews.Detail) DetailBody {
	b := DetailBody{
		interviewBody: interviewOf(d.Interview), Report: jsontext.Value(d.Report), Transcript: jsontext.Value(d.Transcript),
		Events: make([]eventBody, len(d.AllEvents)), Activity: jsontext.Value(d.Activity),
	}
	moments := d.Moments()
	for n, e := range d.AllEvents {
		b.Events[n] = eventOf(e, placeOf(d.Interview, moments[n], e.Lasted()))
	}
	return b
}

func eventOf(e interviews.IntegrityEvent, place *int) eventBody {
	return eventBody{
		ID: e.ID, Kind: e.Kind, Severity: e.Severity, QuestionID: e.QuestionID, AtMS: e.AtMS, PlaceMS: place, ReceivedAt: e.ReceivedAt, SkewMS: e.SkewMS,
		DurationMS: e.DurationMS, Data: jsontext.Value(e.Data),
	}
}

// recordingEdge is how imprecise the beginning and the end of a recording may be: the server
// records that a take begins, but the browser begins it.
const recordingEdge = 2 * time.Second

// placeOf returns the position in what is played at which something began. If it had begun before
// the recording, that is the recording's first moment. placeOf returns nil if nothing that is played
// was recorded meanwhile.
func placeOf(i interviews.Interview, at time.Time, lasted time.Duration) *int {
	for _, q := range i.Questions {
		t := i.Answered(q.ID)
		if t == nil || t.Mode == interviews.AnswerText || t.StartMS == nil || t.EndMS == nil {
			continue
		}
		length := *t.EndMS - *t.StartMS
		into := int(at.Sub(t.RecordedAt).Milliseconds())
		if edge := int(recordingEdge.Milliseconds()); into+int(lasted.Milliseconds()) >= -edge && into <= length+edge {
			return new(*t.StartMS + min(max(into, 0), length))
		}
	}
	return nil
}
