package v1

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
	_ interviewReason = "payout_review" // a payout was asked for
	_ interviewReason = "phase_upgrade" // the trader is to move to another phase
	_ interviewReason = "rule_breach"   // a rule may have been broken
	_ interviewReason = "random_check"  // nothing in particular
	_ interviewReason = "other"         // something else
)

// attentionLevel is how much attention a report asks for.
type attentionLevel string

// The levels.
const (
	_ attentionLevel = "none"              // nothing was found
	_ attentionLevel = "low"               // the most severe finding is low
	_ attentionLevel = "medium"            // the most severe finding is medium
	_ attentionLevel = "high"              // there is a high finding that rests on enough data
	_ attentionLevel = "insufficient_data" // too few trades and no transcript
)

// answerMode is how a question may be answered.
type answerMode string

// The modes.
const (
	_ answerMode = "video" // filmed
	_ answerMode = "audio" // by voice alone
	_ answerMode = "text"  // in writing
)

// answerStatus is how far an answer is.
type answerStatus string

// The statuses of answers.
const (
	_ answerStatus = "recording" // is being recorded or uploaded
	_ answerStatus = "sealed"    // is there
	_ answerStatus = "missing"   // there is none
)

// questionSource is where a question comes from.
type questionSource string

// The sources of questions.
const (
	_ questionSource = "template" // of the default set
	_ questionSource = "custom"   // given with the interview
	_ questionSource = "auto"     // made from the trader's own data
)

// interviewBody is a recorded interview, without what was made of it.
type interviewBody struct {
	ID                 uuid.UUID            `json:"id"`                                                    // the interview's id
	Reference          *string              `json:"reference" api:"max=128" example:"PO-2041"`             // the firm's own name of it, unique; null: none
	Reason             string               `json:"reason" api:"of=apiserver/v1.interviewReason"`          // why it is held
	Status             interviews.Status    `json:"status"`                                                // where it is in its life; decision, report, share, communication and assignment are independent of it
	Partial            bool                 `json:"partial"`                                               // time ran out after some answers, which are reported on
	Trader             interviewTraderBody  `json:"trader"`                                                // who is interviewed
	EmailMatches       []emailMatchBody     `json:"email_matches" api:"items=10" example:"[]"`             // traders who have the trader's email, where several connected platforms have one: which of them is meant, only a person can tell
	Language           string               `json:"language" api:"max=35" example:"en"`                    // BCP 47
	AnswerModes        []string             `json:"answer_modes" api:"items=3,of=apiserver/v1.answerMode"` // how questions may be answered
	Questions          []questionBody       `json:"questions" api:"items=50"`                              // in their order; those from the trader's data are added at the start
	AllowUnanswered    bool                 `json:"allow_unanswered"`                                      // a trader who cannot answer a required question may submit without it
	Answers            []answerBody         `json:"answers" api:"items=50"`                                // one for each question
	Invite             inviteBody           `json:"invite"`                                                // the link that the trader has got
	Consent            *consentBody         `json:"consent"`                                               // what the trader has agreed to; null: nothing yet, or the trader has declined
	Device             *deviceBody          `json:"device"`                                                // what the trader answers with; null: not checked yet
	NeedsAccommodation *accommodationBody   `json:"needs_accommodation" example:"null"`                    // the trader asks for another way to answer; null: no
	Activity           tradeScopeBody       `json:"activity_scope"`                                        // which trades it is prepared from and compared with
	Integrity          rulesBody            `json:"integrity"`                                             // what is watched in the trader's browser
	Pipeline           pipelineBody         `json:"pipeline"`                                              // how far what is made of the answers is
	Media              *interviewMediaBody  `json:"media"`                                                 // what can be played; null: nothing
	ReportStatus       reportStatus         `json:"report_status"`                                         // how far the report is
	ReportVersion      int                  `json:"report_version" example:"1"`                            // of the newest report; 0: there is none
	SubtitlesStatus    steps.Status         `json:"subtitles_status"`                                      // how far captions are
	AttentionLevel     *string              `json:"attention_level" api:"of=apiserver/v1.attentionLevel"`  // how much attention the report asks for; null: there is none
	ReviewPriority     *int                 `json:"review_priority" api:"max=100" example:"15"`            // for the order of queues and for nothing else; null: there is no report
	IntegritySummary   integritySummaryBody `json:"integrity_summary"`                                     // what was seen in the trader's browser, in numbers
	Decision           *verdictBody         `json:"decision"`                                              // the one in force; null: none
	DecisionHistory    []verdictBody        `json:"decision_history" api:"items=10000"`                    // all decisions, newest first
	Assignee           *assigneeBody        `json:"assignee"`                                              // who has it in hand; null: nobody
	Communication      communicationBody    `json:"communication"`                                         // whether the trader was told the outcome
	Share              *shareBody           `json:"share"`                                                 // the link to the read-only page, or the last one; null: there never was any
	LegalHold          *holdBody            `json:"legal_hold" example:"null"`                             // keeps it from being deleted and purged; null: nothing does
	ActivityFile       *interviewFileBody   `json:"activity_file" example:"null"`                          // the file of trades that was uploaded for it; null: none
	ConfirmedClaims    []confirmedClaimBody `json:"confirmed_claims" api:"items=1000" example:"[]"`        // claims whose quote a reviewer has confirmed
	RetakeOfID         *uuid.UUID           `json:"retake_of_id" example:"null"`                           // the interview that it repeats; null: none
	Retakes            []uuid.UUID          `json:"retakes" api:"items=1000" example:"[]"`                 // the interviews that repeat it, oldest first
	RetentionDays      int                  `json:"retention_days" api:"min=7,max=1095" example:"180"`     // how long the recording is kept after the end; transcript, report and events twice as long, at most 1095 days
	RecordPurgeAt      *time.Time           `json:"record_purge_at"`                                       // when transcript, report and events go; null: they have gone
	Metadata           jsontext.Value       `json:"metadata" example:"{\"ticket\": \"8812\"}"`             // as given; null: none
	CreatedBy          string               `json:"created_by" api:"max=200" example:"Desk"`               // the key or person that made it
	CreatedAt          time.Time            `json:"created_at"`                                            // when it was made
	StartedAt          *time.Time           `json:"started_at"`                                            // when the trader started; null: not yet
	SubmittedAt        *time.Time           `json:"submitted_at"`                                          // when the trader submitted; null: not, or the time ran out
	CompletedAt        *time.Time           `json:"completed_at"`                                          // when the first report was there; null: there is none
	CompleteBy         *time.Time           `json:"complete_by"`                                           // until when the trader has to submit; null: not started
	UpdatedAt          time.Time            `json:"updated_at"`                                            // when something about it last changed
}

// interviewTraderBody is the trader of an interview, in short.
//
//openapi:name InterviewTrader
type interviewTraderBody struct {
	ID         uuid.UUID `json:"id"`                                             // the trader's id
	FullName   *string   `json:"full_name" api:"max=8193" example:"Zoe Miller"`  // null: unknown
	Email      *string   `json:"email" api:"max=4096" example:"zoe@example.com"` // null: unknown
	ExternalID *string   `json:"external_id" api:"max=512" example:"T-1042"`     // the platform's id, or the firm's; null: none
}

// emailMatchBody is a trader of a platform who may be the one of an interview.
type emailMatchBody struct {
	TraderID        uuid.UUID `json:"trader_id"`                                      // the trader's id
	IntegrationID   uuid.UUID `json:"integration_id"`                                 // the platform that knows the trader
	IntegrationName string    `json:"integration_name" api:"max=200" example:"Alpha"` // its name
	ExternalID      string    `json:"external_id" api:"max=512" example:"T-1042"`     // the platform's id
	FullName        *string   `json:"full_name" api:"max=8193" example:"Zoe Miller"`  // null: unknown
}

// questionBody is a question of an interview.
type questionBody struct {
	ID           uuid.UUID `json:"id"`                                                                            // the question's id
	Index        int       `json:"index" example:"0"`                                                             // its place, from 0
	Prompt       string    `json:"prompt" api:"max=1000" example:"How long do you usually keep a position open?"` // what the trader is asked
	Topic        string    `json:"topic" api:"max=50,open" example:"holding_time"`                                // what claims are expected about; `general`: none in particular
	ThinkSeconds int       `json:"think_seconds" api:"max=300" example:"30"`                                      // time to think before the recording begins
	MaxSeconds   int       `json:"max_seconds" api:"min=15,max=600" example:"120"`                                // the longest answer
	MaxTakes     int       `json:"max_takes" api:"min=1,max=5" example:"1"`                                       // how often it may be recorded
	Required     bool      `json:"required"`                                                                      // must be answered before the interview can be submitted
	Source       string    `json:"source" api:"of=apiserver/v1.questionSource"`                                   // where it comes from
	FindingKind  *string   `json:"finding_kind" api:"max=100,open" example:"null"`                                // the finding that it was made from; null: none
}

// answerBody is the answer to a question.
type answerBody struct {
	QuestionID   uuid.UUID  `json:"question_id"`                               // the question
	Take         *int       `json:"take" example:"1"`                          // which recording of the question it is, from 1; null: there is none
	Mode         *string    `json:"mode" api:"of=apiserver/v1.answerMode"`     // how it was given; null: there is none
	Status       string     `json:"status" api:"of=apiserver/v1.answerStatus"` // how far it is
	DurationMS   *int       `json:"duration_ms" example:"43120"`               // as the browser tells; null: unknown, or in writing
	StartMS      *int       `json:"start_ms" example:"0"`                      // on the timeline of the whole interview; null: not in what can be played
	EndMS        *int       `json:"end_ms" example:"43120"`                    // likewise
	RecordedAt   *time.Time `json:"recorded_at"`                               // when it was begun; null: there is none
	UnansweredAt *time.Time `json:"unanswered_at" example:"null"`              // when the trader, who could not answer, submitted without an answer to a required question; null: not
}

// inviteBody is an invite of an interview.
//
//openapi:name Invite
type inviteBody struct {
	ExpiresAt      time.Time  `json:"expires_at"`       // until when the trader can start
	OpenedAt       *time.Time `json:"opened_at"`        // when the link was first opened, by whomever; null: never
	ReissueCount   int        `json:"reissue_count"`    // how often it was replaced
	LastReissuedAt *time.Time `json:"last_reissued_at"` // null: never
}

// consentBody is what the trader has agreed to.
//
//openapi:name Consent
type consentBody struct {
	TextVersion string    `json:"text_version" api:"max=100" example:"1"`                                                                                  // of the text that was shown
	SHA256      string    `json:"sha256" api:"max=64" pattern:"^[0-9a-f]{64}$" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"` // of the text that was shown
	AcceptedAt  time.Time `json:"accepted_at"`                                                                                                             // when the trader agreed
}

// deviceBody is what the trader answers with, as the browser tells.
//
//openapi:name Device
type deviceBody struct {
	Outcome    interviews.DeviceOutcome `json:"outcome"`                                     // how its check went
	Browser    *string                  `json:"browser" api:"max=200" example:"Firefox 145"` // null: unknown
	OS         *string                  `json:"os" api:"max=200" example:"Windows"`          // null: unknown
	Camera     *string                  `json:"camera" api:"max=200" example:"HD Webcam"`    // null: unknown, or none
	Microphone *string                  `json:"microphone" api:"max=200" example:"Headset"`  // null: unknown, or none
	Screen     *string                  `json:"screen" api:"max=200" example:"1920x1080"`    // null: unknown
}

// accommodationBody is a trader's request for another way to answer.
//
//openapi:name Accommodation
type accommodationBody struct {
	At   time.Time `json:"at"`                                                              // when the trader asked
	Note string    `json:"note" api:"max=2000" example:"I would rather answer in writing."` // in the trader's words; may be empty
}

// tradeScopeBody says which trades an interview is prepared from and compared with.
//
//openapi:name InterviewScope
type tradeScopeBody struct {
	AccountIDs []uuid.UUID `json:"account_ids" api:"items=100" example:"[]"`      // accounts of the trader; none: all of them
	WindowDays int         `json:"window_days" api:"min=1,max=365" example:"90"`  // how many days back
	Timezone   string      `json:"timezone" api:"max=64" example:"Europe/Berlin"` // of the trader's days (IANA)
	Preset     *string     `json:"preset" api:"max=100" example:"null"`           // the preset of thresholds; null: the organization's
}

// rulesBody says what is watched in the trader's browser.
//
//openapi:name IntegrityRules
type rulesBody struct {
	Fullscreen   string `json:"fullscreen" api:"of=apiserver/v1.watching"`    // whether the page fills the screen
	SecondScreen string `json:"second_screen" api:"of=apiserver/v1.watching"` // whether there is another screen
	FacePresence bool   `json:"face_presence"`                                // whether faces are counted, in the browser alone
}

// watching is how strictly something is asked of the trader.
type watching string

// How strictly.
const (
	_ watching = "off"     // not at all
	_ watching = "ask"     // the trader is asked
	_ watching = "require" // the trader cannot start without
)

// pipelineBody is how far each step is that is made of the answers.
//
//openapi:name Pipeline
type pipelineBody struct {
	Media      pipelineStepBody `json:"media"`      // recordings to one that can be played
	Transcript pipelineStepBody `json:"transcript"` // what was said
	Subtitles  pipelineStepBody `json:"subtitles"`  // captions
	Activity   pipelineStepBody `json:"activity"`   // the analysis of the trades
	Report     pipelineStepBody `json:"report"`     // the report
}

// pipelineStepBody is how far a step is.
//
//openapi:name PipelineStep
type pipelineStepBody struct {
	Status    steps.Status `json:"status"`                                   // how far it is
	Attempts  int          `json:"attempts"`                                 // how often it was tried
	LastError *string      `json:"last_error" api:"max=2000" example:"null"` // why it did not succeed the last time, in a few words; null: it did, or was not tried
}

// reportStatus is how far a report is.
type reportStatus string

// The statuses of reports.
const (
	reportNone    reportStatus = "none"    // there is none, and none is being made
	reportQueued  reportStatus = "queued"  // one will be made
	reportRunning reportStatus = "running" // one is being made
	reportReady   reportStatus = "ready"   // the newest one can be read
	reportFailed  reportStatus = "failed"  // the last one could not be made
)

// interviewMediaBody is what can be played of an interview.
//
//openapi:name InterviewMedia
type interviewMediaBody struct {
	DurationMS int        `json:"duration_ms" example:"312000"` // of all answers
	Width      *int       `json:"width" example:"640"`          // in pixels; null: sound alone
	Height     *int       `json:"height" example:"480"`         // likewise
	Bytes      int64      `json:"bytes" example:"20971520"`     // how large it is
	PurgeAt    *time.Time `json:"purge_at"`                     // when it goes; null: not known yet
}

// integritySummaryBody counts what was seen in the trader's browser: the findings
// of the newest report, which weighs events together, and until there is one the
// events. It proves no intent.
//
//openapi:name IntegritySummary
type integritySummaryBody struct {
	Low               int  `json:"low"`                // of low severity
	Medium            int  `json:"medium"`             // of medium severity
	High              int  `json:"high"`               // of high severity
	TelemetryComplete bool `json:"telemetry_complete"` // the browser gave a sign of life throughout: no event is missing
}

// verdictBody is a decision.
//
//openapi:name Decision
type verdictBody struct {
	Value     interviews.Decision `json:"value"`                                                        // what was decided
	Reason    *string             `json:"reason" api:"max=4000" example:"Statements match the trades."` // null: none was given
	DecidedBy string              `json:"decided_by" api:"max=200" example:"Ann Reviewer"`              // the key or person
	DecidedAt time.Time           `json:"decided_at"`                                                   // when
}

// assigneeBody is the person who has an interview in hand.
//
//openapi:name Assignee
type assigneeBody struct {
	UserID uuid.UUID `json:"user_id"`                                   // the person
	Name   *string   `json:"name" api:"max=200" example:"Ann Reviewer"` // null: not known any more
}

// communicationBody says whether the trader was told the outcome.
//
//openapi:name Communication
type communicationBody struct {
	Done   bool       `json:"done"`                                         // the trader was told
	DoneBy *string    `json:"done_by" api:"max=200" example:"Ann Reviewer"` // who noted that; null: nobody
	DoneAt *time.Time `json:"done_at"`                                      // when; null: never
}

// shareBody is a link to a read-only page.
//
//openapi:name Share
type shareBody struct {
	Active          bool       `json:"active"`           // it was neither revoked nor has it expired
	ExpiresAt       time.Time  `json:"expires_at"`       // when it stops working
	IncludeDecision bool       `json:"include_decision"` // the page shows the decision
	ViewCount       int        `json:"view_count"`       // how often it was opened
	LastViewedAt    *time.Time `json:"last_viewed_at"`   // null: never
}

// holdBody is a legal hold.
//
//openapi:name LegalHold
type holdBody struct {
	Since  time.Time `json:"since"`                                        // when it began
	By     *string   `json:"by" api:"max=200" example:"Counsel"`           // the key or person; null: unknown
	Reason *string   `json:"reason" api:"max=1000" example:"Case 2026-17"` // null: none was given
}

// interviewFileBody is the file of trades that was uploaded for an interview.
//
//openapi:name InterviewFile
type interviewFileBody struct {
	Name       string    `json:"name" api:"max=255" example:"statement.csv"`                                                                              // as the sender calls it; may be empty
	Bytes      int64     `json:"bytes" example:"48213"`                                                                                                   // how large it is
	Rows       int64     `json:"rows" example:"212"`                                                                                                      // trades in it
	SHA256     string    `json:"sha256" api:"max=64" pattern:"^[0-9a-f]{64}$" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"` // of its bytes
	UploadedAt time.Time `json:"uploaded_at"`                                                                                                             // when it came
}

// confirmedClaimBody is a claim whose quote a reviewer has confirmed.
//
//openapi:name ConfirmedClaim
type confirmedClaimBody struct {
	ClaimID     string    `json:"claim_id" api:"max=100" example:"c1"`               // as in the report's `claim_checks`
	ConfirmedBy string    `json:"confirmed_by" api:"max=200" example:"Ann Reviewer"` // the key or person
	ConfirmedAt time.Time `json:"confirmed_at"`                                      // when
}

// interviewDetailBody is a recorded interview with what was made of it.
//
//openapi:name InterviewDetail
type interviewDetailBody struct {
	interviewBody `json:",inline"`
	Report        jsontext.Value `json:"report"`                             // the newest version; null: there is none
	Transcript    jsontext.Value `json:"transcript"`                         // what was said; null: there is none
	Events        []eventBody    `json:"integrity_events" api:"items=20100"` // what happened in the trader's browser: observations, and no proof of intent
	Activity      jsontext.Value `json:"activity"`                           // the analysis of the trades; null: there is none
}

// eventBody is something that happened while the trader had an interview open.
//
//openapi:name IntegrityEvent
type eventBody struct {
	ID         uuid.UUID      `json:"id"`                                                // the event
	Kind       string         `json:"kind" api:"max=100,open" example:"tab_hidden"`      // what happened
	Severity   string         `json:"severity" api:"of=apiserver/v1.severity"`           // by rule
	QuestionID *uuid.UUID     `json:"question_id" example:"null"`                        // the question that was shown; null: none
	AtMS       *int64         `json:"at_ms" example:"61250"`                             // since the session began, on the browser's clock; null: the server noted it
	PlaceMS    *int           `json:"recording_ms" example:"61250"`                      // where in the recording it happened, from its beginning; null: at no place of it
	ReceivedAt time.Time      `json:"received_at"`                                       // when the server heard of it
	SkewMS     *int64         `json:"skew_ms" api:"min=-9007199254740991" example:"120"` // by how much the browser's clock is ahead; null: unknown
	DurationMS *int64         `json:"duration_ms" example:"8200"`                        // how long it went on; null: unknown, or it has no duration
	Data       jsontext.Value `json:"data" example:"null"`                               // more of it; null: nothing
}

// severity is how much an event or a finding weighs.
type severity string

// The severities.
const (
	_ severity = "info"   // worth knowing
	_ severity = "low"    // may mean something together with other things
	_ severity = "medium" // worth looking at
	_ severity = "high"   // worth looking at first
)

func sha256Of(sum []byte) string { return hex.EncodeToString(sum) }
