package interviews

import (
	"encoding/hex"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
)

// interviewReason is why an interview is held.
type interviewReason string

// The reasons.
const (
	_ interviewReason = "payout_review" // A payout was requested.
	_ interviewReason = "phase_upgrade" // The trader is about to move to another phase.
	_ interviewReason = "rule_breach"   // A rule may have been broken.
	_ interviewReason = "random_check"  // There is no particular reason.
	_ interviewReason = "other"         // There is another reason.
)

// attentionLevel is how much attention a report asks for.
type attentionLevel string

// The levels.
const (
	_ attentionLevel = "none"              // Nothing was found.
	_ attentionLevel = "low"               // The most severe finding is low.
	_ attentionLevel = "medium"            // The most severe finding is medium.
	_ attentionLevel = "high"              // There is a high finding that is based on enough data.
	_ attentionLevel = "insufficient_data" // There are too few trades and no transcript.
)

// answerMode is how a question may be answered.
type answerMode string

// The modes.
const (
	_ answerMode = "video" // The answer is filmed.
	_ answerMode = "audio" // The answer is spoken, without video.
	_ answerMode = "text"  // The answer is written.
)

// answerStatus is how far an answer is.
type answerStatus string

// The statuses of answers.
const (
	_ answerStatus = "recording" // The answer is being recorded or uploaded.
	_ answerStatus = "sealed"    // The answer is complete.
	_ answerStatus = "missing"   // There is no answer.
)

// questionSource is where a question comes from.
type questionSource string

// The sources of questions.
const (
	_ questionSource = "template" // The question is from the default set.
	_ questionSource = "custom"   // The question was given when the interview was created.
	_ questionSource = "auto"     // The question was made from the trader's own data.
)

// interviewBody is a recorded interview, without its report, transcript, and events.
type interviewBody struct {
	ID        uuid.UUID           `json:"id"`                                                      // unique identifier of the interview
	Reference *string             `json:"reference" api:"max=128" example:"PO-2041"`               // The firm's own unique reference of the interview. Null if it has none.
	Reason    string              `json:"reason" api:"of=apiserver/v1/interviews.interviewReason"` // why the interview is held
	Status    interviews.Status   `json:"status"`                                                  // Stage of the interview. Decision, report, share, communication, and assignment are independent of it.
	Partial   bool                `json:"partial"`                                                 // whether time ran out after some answers, which are included in the report
	Trader    interviewTraderBody `json:"trader"`                                                  // the trader who is interviewed
	// Traders with the same email as this trader, if several connected platforms have one. Only a
	// person can tell which of them is meant.
	EmailMatches       []emailMatchBody    `json:"email_matches" api:"items=10" example:"[]"`
	Language           string              `json:"language" api:"max=35" example:"en"`                               // language of the interview (BCP 47)
	AnswerModes        []string            `json:"answer_modes" api:"items=3,of=apiserver/v1/interviews.answerMode"` // ways in which questions may be answered
	Questions          []questionBody      `json:"questions" api:"items=50"`                                         // Questions in order. Questions from the trader's data are added when the trader starts.
	AllowUnanswered    bool                `json:"allow_unanswered"`                                                 // whether a trader who cannot answer a required question may submit without an answer to it
	Answers            []answerBody        `json:"answers" api:"items=50"`                                           // answers, one for each question
	Invite             inviteBody          `json:"invite"`                                                           // the trader's current invite
	Consent            *consentBody        `json:"consent"`                                                          // The trader's consent. Null if the trader has not answered yet or has declined.
	Device             *deviceBody         `json:"device"`                                                           // The device that the trader uses. Null if it has not been checked yet.
	NeedsAccommodation *accommodationBody  `json:"needs_accommodation" example:"null"`                               // The trader's request for another way to answer. Null if there is none.
	Activity           tradeScopeBody      `json:"activity_scope"`                                                   // trades that the interview is prepared from and compared with
	Integrity          rulesBody           `json:"integrity"`                                                        // what is monitored in the trader's browser
	Pipeline           pipelineBody        `json:"pipeline"`                                                         // progress of the steps that process the answers
	Media              *interviewMediaBody `json:"media"`                                                            // The recording that can be played. Null if there is none.
	ReportStatus       reportStatus        `json:"report_status"`                                                    // status of the report
	ReportVersion      int                 `json:"report_version" example:"1"`                                       // Version of the newest report. 0 if there is none.
	SubtitlesStatus    steps.Status        `json:"subtitles_status"`                                                 // status of the captions
	// How much attention the report calls for. Null if there is no report.
	AttentionLevel *string `json:"attention_level" api:"of=apiserver/v1/interviews.attentionLevel"`
	// Priority for sorting review queues, and for no other purpose. Null if there is no report.
	ReviewPriority   *int                 `json:"review_priority" api:"max=100" example:"15"`
	Findings         findingCountsBody    `json:"findings"`                                       // number of findings in the newest report, by severity
	IntegritySummary integritySummaryBody `json:"integrity_summary"`                              // number of observations in the trader's browser, by severity
	Decision         *verdictBody         `json:"decision"`                                       // The decision in force. Null if there is none.
	DecisionHistory  []verdictBody        `json:"decision_history" api:"items=10000"`             // all decisions, newest first
	Assignee         *assigneeBody        `json:"assignee"`                                       // The person to whom the interview is assigned. Null if it is unassigned.
	Communication    communicationBody    `json:"communication"`                                  // whether the trader was informed of the outcome
	Share            *shareBody           `json:"share"`                                          // The current or last link to the read-only page. Null if there was never one.
	LegalHold        *holdBody            `json:"legal_hold" example:"null"`                      // Legal hold that keeps the interview from being deleted and purged. Null if there is none.
	ActivityFile     *interviewFileBody   `json:"activity_file" example:"null"`                   // File of trades that was uploaded for the interview. Null if there is none.
	ConfirmedClaims  []confirmedClaimBody `json:"confirmed_claims" api:"items=1000" example:"[]"` // claims whose quotes a reviewer has confirmed
	// Unique identifier of the interview that this one is a retake of. Null if it is not a retake.
	RetakeOfID *uuid.UUID  `json:"retake_of_id" example:"null"`
	Retakes    []uuid.UUID `json:"retakes" api:"items=1000" example:"[]"` // unique identifiers of the retakes of this interview, oldest first
	// Number of days that the recording is kept after the interview ends. The transcript, report,
	// and events are kept twice as long, up to 1095 days.
	RetentionDays int            `json:"retention_days" api:"min=7,max=1095" example:"180"`
	RecordPurgeAt *time.Time     `json:"record_purge_at"`                           // When the transcript, report, and events are purged. Null if they have been purged.
	Metadata      jsontext.Value `json:"metadata" example:"{\"ticket\": \"8812\"}"` // Metadata as given at creation. Null if there is none.
	CreatedBy     string         `json:"created_by" api:"max=200" example:"Desk"`   // name of the API key or person that created the interview
	CreatedAt     time.Time      `json:"created_at"`                                // when the interview was created
	StartedAt     *time.Time     `json:"started_at"`                                // When the trader started. Null if the trader has not started.
	SubmittedAt   *time.Time     `json:"submitted_at"`                              // When the trader submitted the interview. Null if the trader has not, or if time ran out.
	CompletedAt   *time.Time     `json:"completed_at"`                              // When the first report was ready. Null if there is no report.
	CompleteBy    *time.Time     `json:"complete_by"`                               // Deadline for submitting the interview. Null if the trader has not started.
	UpdatedAt     time.Time      `json:"updated_at"`                                // when the interview was last changed
}

// interviewTraderBody is a summary of an interview's trader.
//
//openapi:name InterviewTrader
type interviewTraderBody struct {
	ID         uuid.UUID `json:"id"`                                             // unique identifier of the trader
	FullName   *string   `json:"full_name" api:"max=8193" example:"Zoe Miller"`  // The trader's full name. Null if it is unknown.
	Email      *string   `json:"email" api:"max=4096" example:"zoe@example.com"` // The trader's email address. Null if it is unknown.
	ExternalID *string   `json:"external_id" api:"max=512" example:"T-1042"`     // The trader's ID on the platform or at the firm. Null if there is none.
}

// emailMatchBody is a trader of a platform who may be the trader of an interview.
type emailMatchBody struct {
	TraderID        uuid.UUID `json:"trader_id"`                                      // unique identifier of the trader
	IntegrationID   uuid.UUID `json:"integration_id"`                                 // unique identifier of the integration that the trader is read from
	IntegrationName string    `json:"integration_name" api:"max=200" example:"Alpha"` // name of the integration
	ExternalID      string    `json:"external_id" api:"max=512" example:"T-1042"`     // the trader's ID on the platform
	FullName        *string   `json:"full_name" api:"max=8193" example:"Zoe Miller"`  // The trader's full name. Null if it is unknown.
}

// questionBody is a question of an interview.
type questionBody struct {
	ID           uuid.UUID `json:"id"`                                                                            // unique identifier of the question
	Index        int       `json:"index" example:"0"`                                                             // position of the question, counted from 0
	Prompt       string    `json:"prompt" api:"max=1000" example:"How long do you usually keep a position open?"` // text of the question
	Topic        string    `json:"topic" api:"max=50,open" example:"holding_time"`                                // Topic that claims are expected about. `general` if there is none in particular.
	ThinkSeconds int       `json:"think_seconds" api:"max=300" example:"30"`                                      // seconds to think before the recording begins
	MaxSeconds   int       `json:"max_seconds" api:"min=15,max=600" example:"120"`                                // maximum length of an answer in seconds
	MaxTakes     int       `json:"max_takes" api:"min=1,max=5" example:"1"`                                       // maximum number of takes
	Required     bool      `json:"required"`                                                                      // whether the question must be answered before the interview can be submitted
	Source       string    `json:"source" api:"of=apiserver/v1/interviews.questionSource"`                        // where the question comes from
	// Kind of the finding that the question was made from. Null if it was not made from a finding.
	FindingKind *string `json:"finding_kind" api:"max=100,open" example:"null"`
}

// answerBody is the answer to a question.
type answerBody struct {
	QuestionID uuid.UUID `json:"question_id"`                                          // unique identifier of the question
	Take       *int      `json:"take" example:"1"`                                     // Number of the take, counted from 1. Null if there is none.
	Mode       *string   `json:"mode" api:"of=apiserver/v1/interviews.answerMode"`     // How the answer was given. Null if there is none.
	Status     string    `json:"status" api:"of=apiserver/v1/interviews.answerStatus"` // status of the answer
	DurationMS *int      `json:"duration_ms" example:"43120"`                          // Duration in milliseconds, as reported by the browser. Null if it is unknown or the answer is written.
	// Start of the answer on the timeline of the entire interview, in milliseconds. Null if it is
	// not in the recording that can be played.
	StartMS *int `json:"start_ms" example:"0"`
	// End of the answer on the timeline of the entire interview, in milliseconds. Null if it is not
	// in the recording that can be played.
	EndMS      *int       `json:"end_ms" example:"43120"`
	RecordedAt *time.Time `json:"recorded_at"` // When the answer was begun. Null if there is none.
	// When a trader who could not answer this required question submitted without an answer to it.
	// Null if that did not happen.
	UnansweredAt *time.Time `json:"unanswered_at" example:"null"`
}

// inviteBody is the invite to an interview.
//
//openapi:name Invite
type inviteBody struct {
	ExpiresAt      time.Time  `json:"expires_at"`       // When the invite expires. The trader can start until then.
	OpenedAt       *time.Time `json:"opened_at"`        // When anyone first opened the link. Null if no one has.
	ReissueCount   int        `json:"reissue_count"`    // number of times the invite was reissued
	LastReissuedAt *time.Time `json:"last_reissued_at"` // When the invite was last reissued. Null if it never was.
}

// consentBody is the trader's consent.
//
//openapi:name Consent
type consentBody struct {
	TextVersion string `json:"text_version" api:"max=100" example:"1"` // version of the text that was shown
	// SHA-256 hash of the text that was shown.
	SHA256     string    `json:"sha256" api:"max=64" pattern:"^[0-9a-f]{64}$" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	AcceptedAt time.Time `json:"accepted_at"` // when the trader consented
}

// deviceBody is the device that the trader uses, as reported by the browser.
//
//openapi:name Device
type deviceBody struct {
	Outcome    interviews.DeviceOutcome `json:"outcome"`                                     // outcome of the device check
	Browser    *string                  `json:"browser" api:"max=200" example:"Firefox 145"` // Browser. Null if it is unknown.
	OS         *string                  `json:"os" api:"max=200" example:"Windows"`          // Operating system. Null if it is unknown.
	Camera     *string                  `json:"camera" api:"max=200" example:"HD Webcam"`    // Camera. Null if it is unknown or there is none.
	Microphone *string                  `json:"microphone" api:"max=200" example:"Headset"`  // Microphone. Null if it is unknown or there is none.
	Screen     *string                  `json:"screen" api:"max=200" example:"1920x1080"`    // Screen. Null if it is unknown.
}

// accommodationBody is a trader's request for another way to answer.
//
//openapi:name Accommodation
type accommodationBody struct {
	At   time.Time `json:"at"`                                                              // when the trader made the request
	Note string    `json:"note" api:"max=2000" example:"I would rather answer in writing."` // The request in the trader's words. May be empty.
}

// tradeScopeBody is the trades that an interview is prepared from and compared with.
//
//openapi:name InterviewScope
type tradeScopeBody struct {
	AccountIDs []uuid.UUID `json:"account_ids" api:"items=100" example:"[]"`      // Accounts of the trader. If empty, all are included.
	WindowDays int         `json:"window_days" api:"min=1,max=365" example:"90"`  // how far back the trades go, in days
	Timezone   string      `json:"timezone" api:"max=64" example:"Europe/Berlin"` // timezone of the trader's days (IANA)
	Preset     *string     `json:"preset" api:"max=100" example:"null"`           // Preset of thresholds. Null if the organization's thresholds apply.
}

// rulesBody is what is monitored in the trader's browser.
//
//openapi:name IntegrityRules
type rulesBody struct {
	Fullscreen   string `json:"fullscreen" api:"of=apiserver/v1/interviews.watching"`    // whether the page fills the screen
	SecondScreen string `json:"second_screen" api:"of=apiserver/v1/interviews.watching"` // whether there is another screen
	FacePresence bool   `json:"face_presence"`                                           // whether faces are counted, which happens only in the browser
}

// watching is how strictly something is asked of the trader.
type watching string

// How strictly.
const (
	_ watching = "off"     // It is not monitored.
	_ watching = "ask"     // The trader is asked for permission.
	_ watching = "require" // The trader cannot start without it.
)

// pipelineBody is the progress of the steps that process the answers.
//
//openapi:name Pipeline
type pipelineBody struct {
	Media      pipelineStepBody `json:"media"`      // merging the recordings into one that can be played
	Transcript pipelineStepBody `json:"transcript"` // transcribing what was said
	Subtitles  pipelineStepBody `json:"subtitles"`  // making captions
	Activity   pipelineStepBody `json:"activity"`   // analyzing the trades
	Report     pipelineStepBody `json:"report"`     // writing the report
}

// pipelineStepBody is the progress of a step.
//
//openapi:name PipelineStep
type pipelineStepBody struct {
	Status    steps.Status `json:"status"`                                   // status of the step
	Attempts  int          `json:"attempts"`                                 // number of attempts
	LastError *string      `json:"last_error" api:"max=2000" example:"null"` // Short explanation of why the last attempt failed. Null if it succeeded or there was none.
}

// reportStatus is how far a report is.
type reportStatus string

// The statuses of reports.
const (
	reportNone    reportStatus = "none"    // There is no report, and none is being made.
	reportQueued  reportStatus = "queued"  // A report will be made.
	reportRunning reportStatus = "running" // A report is being made.
	reportReady   reportStatus = "ready"   // The newest report can be read.
	reportFailed  reportStatus = "failed"  // The last report could not be made.
)

// interviewMediaBody is the recording of an interview that can be played.
//
//openapi:name InterviewMedia
type interviewMediaBody struct {
	DurationMS int        `json:"duration_ms" example:"312000"` // total duration of all answers in milliseconds
	Width      *int       `json:"width" example:"640"`          // Width in pixels. Null if there is only sound.
	Height     *int       `json:"height" example:"480"`         // Height in pixels. Null if there is only sound.
	Bytes      int64      `json:"bytes" example:"20971520"`     // size in bytes
	PurgeAt    *time.Time `json:"purge_at"`                     // When the recording is purged. Null if it is not known yet.
}

// findingCountsBody is how many findings reports have, by severity. Findings that only inform are not counted.
//
//openapi:name FindingCounts
type findingCountsBody struct {
	High   int `json:"high"`   // number of findings of high severity
	Medium int `json:"medium"` // number of findings of medium severity
	Low    int `json:"low"`    // number of findings of low severity
}

// integritySummaryBody is the number of observations in the trader's browser, by severity. It
// counts the findings of the newest report, which weighs events together, and before the first
// report the events themselves. The numbers do not prove intent.
//
//openapi:name IntegritySummary
type integritySummaryBody struct {
	Low               int  `json:"low"`                // number of observations of low severity
	Medium            int  `json:"medium"`             // number of observations of medium severity
	High              int  `json:"high"`               // number of observations of high severity
	TelemetryComplete bool `json:"telemetry_complete"` // whether the browser sent heartbeats throughout, so that no event is missing
}

// verdictBody is a decision.
//
//openapi:name Decision
type verdictBody struct {
	Value     interviews.Decision `json:"value"`                                                        // what was decided
	Reason    *string             `json:"reason" api:"max=4000" example:"Statements match the trades."` // Reason for the decision. Null if none was given.
	DecidedBy string              `json:"decided_by" api:"max=200" example:"Ann Reviewer"`              // name of the API key or person that made the decision
	DecidedAt time.Time           `json:"decided_at"`                                                   // when the decision was made
}

// assigneeBody is the person to whom an interview is assigned.
//
//openapi:name Assignee
type assigneeBody struct {
	UserID uuid.UUID `json:"user_id"`                                   // unique identifier of the person
	Name   *string   `json:"name" api:"max=200" example:"Ann Reviewer"` // The person's name. Null if it is no longer known.
}

// communicationBody is whether the trader was informed of the outcome.
//
//openapi:name Communication
type communicationBody struct {
	Done   bool       `json:"done"`                                         // whether the trader was informed
	DoneBy *string    `json:"done_by" api:"max=200" example:"Ann Reviewer"` // Name of the API key or person that recorded it. Null if it was not recorded.
	DoneAt *time.Time `json:"done_at"`                                      // When it was recorded. Null if it was not recorded.
}

// shareBody is a link to a read-only page.
//
//openapi:name Share
type shareBody struct {
	Active          bool       `json:"active"`           // whether the link works: it has neither been revoked nor expired
	ExpiresAt       time.Time  `json:"expires_at"`       // when the link expires
	IncludeDecision bool       `json:"include_decision"` // whether the page shows the decision
	ViewCount       int        `json:"view_count"`       // number of times the page was viewed
	LastViewedAt    *time.Time `json:"last_viewed_at"`   // When the page was last viewed. Null if it never was.
}

// holdBody is a legal hold.
//
//openapi:name LegalHold
type holdBody struct {
	Since  time.Time `json:"since"`                                        // when the hold was placed
	By     *string   `json:"by" api:"max=200" example:"Counsel"`           // Name of the API key or person that placed the hold. Null if it is unknown.
	Reason *string   `json:"reason" api:"max=1000" example:"Case 2026-17"` // Reason for the hold. Null if none was given.
}

// interviewFileBody is the file of trades that was uploaded for an interview.
//
//openapi:name InterviewFile
type interviewFileBody struct {
	Name  string `json:"name" api:"max=255" example:"statement.csv"` // File name given by the uploader. May be empty.
	Bytes int64  `json:"bytes" example:"48213"`                      // size of the file in bytes
	Rows  int64  `json:"rows" example:"212"`                         // number of trades in the file
	// SHA-256 hash of the file's bytes.
	SHA256     string    `json:"sha256" api:"max=64" pattern:"^[0-9a-f]{64}$" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	UploadedAt time.Time `json:"uploaded_at"` // when the file was uploaded
}

// confirmedClaimBody is a claim whose quote a reviewer has confirmed.
//
//openapi:name ConfirmedClaim
type confirmedClaimBody struct {
	ClaimID     string    `json:"claim_id" api:"max=100" example:"c1"`               // identifier of the claim in the report's `claim_checks`
	ConfirmedBy string    `json:"confirmed_by" api:"max=200" example:"Ann Reviewer"` // name of the API key or person that confirmed the quote
	ConfirmedAt time.Time `json:"confirmed_at"`                                      // when the quote was confirmed
}

// DetailBody is a recorded interview with its report, transcript, events, and activity.
//
//openapi:name InterviewDetail
type DetailBody struct {
	interviewBody `json:",inline"`
	Report        jsontext.Value `json:"report"`                             // The newest version of the report. Null if there is none.
	Transcript    jsontext.Value `json:"transcript"`                         // The transcript. Null if there is none.
	Events        []eventBody    `json:"integrity_events" api:"items=20100"` // Events in the trader's browser. They are observations and do not prove intent.
	Activity      jsontext.Value `json:"activity"`                           // The analysis of the trades. Null if there is none.
}

// eventBody is an event that occurred while the trader had an interview open.
//
//openapi:name IntegrityEvent
type eventBody struct {
	ID         uuid.UUID  `json:"id"`                                                 // unique identifier of the event
	Kind       string     `json:"kind" api:"max=100,open" example:"tab_hidden"`       // kind of event
	Severity   string     `json:"severity" api:"of=apiserver/v1/interviews.severity"` // severity, assigned by a fixed rule
	QuestionID *uuid.UUID `json:"question_id" example:"null"`                         // The question that was shown. Null if none was.
	AtMS       *int64     `json:"at_ms" example:"61250"`                              // Milliseconds since the session began, on the browser's clock. Null if the server recorded the event.
	// Position in the recording at which the event began, in milliseconds from its beginning. Null if
	// nothing was being recorded.
	PlaceMS    *int           `json:"recording_ms" example:"61250"`
	ReceivedAt time.Time      `json:"received_at"`                                       // when the server received the event
	SkewMS     *int64         `json:"skew_ms" api:"min=-9007199254740991" example:"120"` // How far the browser's clock is ahead, in milliseconds. Null if it is unknown.
	DurationMS *int64         `json:"duration_ms" example:"8200"`                        // Duration of the event in milliseconds. Null if it is unknown or the event has none.
	Data       jsontext.Value `json:"data" example:"null"`                               // Further details. Null if there are none.
}

// severity is how much an event or a finding weighs.
type severity string

// The severities.
const (
	_ severity = "info"   // For information only.
	_ severity = "low"    // May be significant in combination with other observations.
	_ severity = "medium" // Worth reviewing.
	_ severity = "high"   // Worth reviewing first.
)

func sha256Of(sum []byte) string { return hex.EncodeToString(sum) }
