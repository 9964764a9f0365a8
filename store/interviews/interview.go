package interviews

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews/steps"
)

// Status is the stage of an interview in its life. Decision, share, assignment and communication
// are independent of it.
type Status string

// The statuses. Declined, expired and incomplete are final without a report, but an expired invite
// can be issued again.
const (
	Invited    Status = "invited"     // The trader has a link and has not started.
	Declined   Status = "declined"    // The trader did not consent.
	InProgress Status = "in_progress" // The trader has started.
	Expired    Status = "expired"     // The trader did not start in time.
	Incomplete Status = "incomplete"  // The trader started, and had left no answer when time ran out.
	Processing Status = "processing"  // The recording, transcript, and report are being made.
	Completed  Status = "completed"   // The report is ready.
	Failed     Status = "failed"      // The report could not be written.
)

// Statuses lists the statuses in the order of an interview's life.
func Statuses() []Status {
	return []Status{
		Invited, Declined, InProgress, Expired, Incomplete,
		Processing, Completed, Failed,
	}
}

// IsSubmitted reports whether there is something to report on.
func (s Status) IsSubmitted() bool {
	return s == Processing || s == Completed || s == Failed
}

// Decision is a person's decision on an interview.
type Decision string

// The decisions.
const (
	DecisionApproved    Decision = "approved"
	DecisionRejected    Decision = "rejected"
	DecisionNeedsReview Decision = "needs_review"
)

// Decisions lists the decisions.
func Decisions() []Decision {
	return []Decision{DecisionApproved, DecisionRejected, DecisionNeedsReview}
}

// AnswerMode is how a question may be answered.
type AnswerMode string

// The modes.
const (
	AnswerVideo AnswerMode = "video"
	AnswerAudio AnswerMode = "audio"
	AnswerText  AnswerMode = "text"
)

// AnswerModes lists the modes.
func AnswerModes() []AnswerMode { return []AnswerMode{AnswerVideo, AnswerAudio, AnswerText} }

// AttentionLevels lists the levels of attention that a report can ask for.
func AttentionLevels() []string {
	return []string{"none", "low", "medium", "high", "insufficient_data"}
}

// FindingCounts is how many findings reports have, by severity. Those that only inform do not count.
type FindingCounts struct {
	High   int `bun:"high_findings"`
	Medium int `bun:"medium_findings"`
	Low    int `bun:"low_findings"`
}

// Interview is a recorded interview with everything that belongs to it, except transcript, report,
// events and activity.
type Interview struct {
	ID             uuid.UUID `bun:"id"`
	OrganizationID uuid.UUID `bun:"organization_id"`
	Reference      *string   `bun:"reference"` // unique within the organization; nil if the firm gave none
	Reason         string    `bun:"reason"`    // one of Reasons
	Status         Status    `bun:"status"`
	Partial        bool      `bun:"partial"` // time ran out after some answers
	Language       string    `bun:"language"`
	AnswerModes    []string  `bun:"answer_modes,array"`
	AutoQuestions  int       `bun:"auto_questions"` // the most questions from the trader's data that are added at the start
	// AllowUnanswered permits a trader who cannot answer a required question to submit without it.
	// See Submit.
	AllowUnanswered bool            `bun:"allow_unanswered"`
	Activity        Scope           `bun:"activity,type:jsonb"`
	Integrity       IntegrityRules  `bun:"integrity,type:jsonb"`
	Metadata        json.RawMessage `bun:"metadata"` // a JSON object; nil if there is none
	RetentionDays   int             `bun:"retention_days"`
	RetakeOfID      *uuid.UUID      `bun:"retake_of_id"`
	CreatedBy       string          `bun:"created_by"` // name of the key or person
	CreatedAt       time.Time       `bun:"created_at"`
	UpdatedAt       time.Time       `bun:"updated_at"`

	WindowHours       int        `bun:"window_hours"`
	InviteExpiresAt   time.Time  `bun:"invite_expires_at"`
	OpenedAt          *time.Time `bun:"opened_at"` // nil if the link was never opened
	ReissueCount      int        `bun:"reissue_count"`
	LastReissuedAt    *time.Time `bun:"last_reissued_at"`
	AccommodationAt   *time.Time `bun:"accommodation_at"` // when the trader asked for another way to answer
	AccommodationNote *string    `bun:"accommodation_note"`

	StartedAt   *time.Time `bun:"started_at"`
	CompleteBy  *time.Time `bun:"complete_by"` // until when the trader has to submit; nil until started
	SubmittedAt *time.Time `bun:"submitted_at"`
	CompletedAt *time.Time `bun:"completed_at"` // when the first report was written
	EndedAt     *time.Time `bun:"ended_at"`     // when it was declined, expired, incomplete or handed to the pipeline

	ReportVersion  int           `bun:"report_version"` // of the newest report; 0 if there is none
	AttentionLevel *string       `bun:"attention_level"`
	ReviewPriority *int          `bun:"review_priority"` // 0 to 100, only for the order of queues
	Findings       FindingCounts `bun:"embed:"`          // of the newest report
	FindingKinds   []string      `bun:"finding_kinds,array"`
	// Reported is the newest report's summary of the integrity events. It is nil if there is no
	// report. See Seen.
	Reported *IntegritySummary `bun:"integrity_summary,type:jsonb"`

	CommunicatedAt *time.Time `bun:"communicated_at"` // nil if the trader was not informed of the outcome
	CommunicatedBy *string    `bun:"communicated_by"`
	HoldAt         *time.Time `bun:"hold_at"` // nil if there is no legal hold
	HoldBy         *string    `bun:"hold_by"`
	HoldReason     *string    `bun:"hold_reason"`
	MediaPurgeAt   *time.Time `bun:"media_purge_at"`  // when the recording will be deleted; nil once it is
	RecordPurgeAt  *time.Time `bun:"record_purge_at"` // when transcript, report and events will be deleted; nil once they are
	PurgedAt       *time.Time `bun:"purged_at"`       // when they were deleted

	TraderID         uuid.UUID  `bun:"trader_id"`
	TraderName       *string    `bun:"trader_name"`
	TraderEmail      *string    `bun:"trader_email"`
	TraderExternalID *string    `bun:"trader_external_id"`
	TraderKey        *string    `bun:"trader_key"`  // see the constant TraderKey
	AssigneeID       *uuid.UUID `bun:"assignee_id"` // nil if unassigned
	AssigneeName     *string    `bun:"assignee_name"`
	AssigneeKey      *string    `bun:"assignee_key"` // see the constant AssigneeKey
	CreatorKey       string     `bun:"creator_key"`  // see the constant CreatorKey

	EmailMatches []EmailMatch        `bun:"-"` // synced traders with the trader's email, if several connected platforms have one
	Questions    []Question          `bun:"-"` // in their order
	Takes        []Take              `bun:"-"` // by question and number
	Consent      *Consent            `bun:"-"` // nil if the trader has not decided
	Device       *Device             `bun:"-"` // nil if not checked
	Steps        []steps.Step        `bun:"-"` // all steps, in the order of steps.All
	Media        *Media              `bun:"-"` // nil if there is nothing to play
	Events       EventSummary        `bun:"-"`
	Decisions    []Verdict           `bun:"-"` // newest first; the first one is in force
	Share        *Share              `bun:"-"` // the link in force, or the last one; nil if never shared
	ActivityFile *File               `bun:"-"` // nil if none was uploaded
	Retakes      []uuid.UUID         `bun:"-"` // interviews that repeat this one, oldest first
	Claims       []ClaimConfirmation `bun:"-"` // claims whose quote a reviewer has confirmed
}

// SubjectID implements idempotency.Subject with the interview's id.
func (i Interview) SubjectID() uuid.UUID { return i.ID }

// Scope selects the trades from which an interview is prepared and with which it is compared.
type Scope struct {
	AccountIDs []uuid.UUID `json:"account_ids"` // empty means all accounts of the trader
	WindowDays int         `json:"window_days"` // 1 to 365
	Timezone   string      `json:"timezone"`    // IANA
	Preset     *string     `json:"preset"`      // of rules; nil for the organization's
}

// IntegrityRules select what is observed in the trader's browser.
type IntegrityRules struct {
	Fullscreen   string `json:"fullscreen"`    // off, ask, require
	SecondScreen string `json:"second_screen"` // off, ask, require
	FacePresence bool   `json:"face_presence"` // the browser counts faces and keeps no pictures of them
}

// Question is a question of an interview.
type Question struct {
	ID           uuid.UUID  `bun:"id"`
	InterviewID  uuid.UUID  `bun:"interview_id"`
	Index        int        `bun:"index"` // from 0
	Prompt       string     `bun:"prompt"`
	Topic        string     `bun:"topic"` // one of invite.Topics
	ThinkSeconds int        `bun:"think_seconds"`
	MaxSeconds   int        `bun:"max_seconds"`
	MaxTakes     int        `bun:"max_takes"`
	Required     bool       `bun:"required"`
	Source       string     `bun:"source"`        // template, custom, auto
	FindingKind  *string    `bun:"finding_kind"`  // from which it was made; nil if source is not auto
	ServedAt     *time.Time `bun:"served_at"`     // first shown to the trader
	UnansweredAt *time.Time `bun:"unanswered_at"` // when it was submitted without a required answer; nil if it was not
}

// Consent is the trader's consent or refusal.
type Consent struct {
	InterviewID uuid.UUID `bun:"interview_id"`
	Accepted    bool      `bun:"accepted"`
	TextVersion string    `bun:"text_version"`
	Text        string    `bun:"text"` // as shown
	SHA256      []byte    `bun:"sha256"`
	DecidedAt   time.Time `bun:"decided_at"`
}

// Device is the newest check of the trader's device.
type Device struct {
	InterviewID uuid.UUID       `bun:"interview_id"`
	Outcome     DeviceOutcome   `bun:"outcome"`
	Browser     *string         `bun:"browser"`
	OS          *string         `bun:"os"`
	Camera      *string         `bun:"camera"`
	Microphone  *string         `bun:"microphone"`
	Screen      *string         `bun:"screen"`
	Result      json.RawMessage `bun:"result"` // measurements; nil if there are no others
	CheckedAt   time.Time       `bun:"checked_at"`
}

// DeviceOutcome is the outcome of a check of a device.
type DeviceOutcome string

// The outcomes. The trader may start with ok and overridden.
const (
	DeviceOK         DeviceOutcome = "ok"         // The check passed.
	DeviceOverridden DeviceOutcome = "overridden" // The trader chose to continue although the check did not pass.
	DeviceFailed     DeviceOutcome = "failed"     // The check did not pass.
)

// Media is the playable recording.
type Media struct {
	InterviewID uuid.UUID       `bun:"interview_id"`
	Version     int             `bun:"version"` // rises with each version; older ones are no longer played
	Kind        AnswerMode      `bun:"kind"`    // video or audio
	DurationMS  int             `bun:"duration_ms"`
	Width       *int            `bun:"width"` // nil for audio
	Height      *int            `bun:"height"`
	Bytes       int64           `bun:"bytes"`
	Playlist    string          `bun:"playlist"` // file below MediaPrefix
	Poster      *string         `bun:"poster"`   // file below MediaPrefix; nil if there is none
	Details     json.RawMessage `bun:"details"`  // measurements; nil if there are none
	CreatedAt   time.Time       `bun:"created_at"`
}

// EventSummary counts an interview's integrity events by severity.
type EventSummary struct {
	InterviewID uuid.UUID `bun:"interview_id"`
	Low         int       `bun:"low"`
	Medium      int       `bun:"medium"`
	High        int       `bun:"high"`
	Gaps        int       `bun:"gaps"` // parts of a recording without a heartbeat
}

// IntegritySummary sums up in numbers what was observed in the trader's browser.
type IntegritySummary struct {
	Low    int `json:"low"`
	Medium int `json:"medium"`
	High   int `json:"high"`
	// TelemetryComplete reports whether the browser sent heartbeats throughout.
	TelemetryComplete bool `json:"telemetry_complete"`
}

// Seen returns what was observed in the trader's browser: the findings of the newest report, which
// weighs events together, or the events if there is no report yet.
func (i Interview) Seen() IntegritySummary {
	if i.Reported != nil {
		return *i.Reported
	}
	return IntegritySummary{Low: i.Events.Low, Medium: i.Events.Medium, High: i.Events.High, TelemetryComplete: i.Events.Gaps == 0}
}

// Verdict is a decision as it was made. A later one replaces it, but the history keeps it.
type Verdict struct {
	InterviewID uuid.UUID `bun:"interview_id"`
	Decision    Decision  `bun:"decision"`
	Reason      *string   `bun:"reason"`
	DecidedBy   string    `bun:"decided_by"` // name of the key or person
	DecidedAt   time.Time `bun:"decided_at"`
}

// Share is a link to a read-only page.
type Share struct {
	ID              uuid.UUID  `bun:"id"`
	InterviewID     uuid.UUID  `bun:"interview_id"`
	IncludeDecision bool       `bun:"include_decision"`
	CreatedAt       time.Time  `bun:"created_at"`
	ExpiresAt       time.Time  `bun:"expires_at"`
	RevokedAt       *time.Time `bun:"revoked_at"`
	Active          bool       `bun:"active"` // neither revoked nor expired when read
	ViewCount       int        `bun:"view_count"`
	LastViewedAt    *time.Time `bun:"last_viewed_at"`
}

// File is the file of trades that was uploaded for an interview: the file of its trader with these
// bytes.
type File struct {
	InterviewID uuid.UUID `bun:"interview_id"`
	FileID      uuid.UUID `bun:"file_id"`
	Name        string    `bun:"name"`
	Bytes       int64     `bun:"bytes"`
	Rows        int64     `bun:"rows"` // number of trades
	SHA256      []byte    `bun:"sha256"`
	UploadedBy  string    `bun:"uploaded_by"`
	UploadedAt  time.Time `bun:"uploaded_at"`
}

// ClaimConfirmation records that a reviewer has confirmed a claim's quote.
type ClaimConfirmation struct {
	InterviewID uuid.UUID `bun:"interview_id"`
	ClaimID     string    `bun:"claim_id"`
	ConfirmedBy string    `bun:"confirmed_by"`
	ConfirmedAt time.Time `bun:"confirmed_at"`
}

// Answered returns the take that is the question's answer: the last sealed one, or otherwise the
// last one that is being recorded. It returns nil if there is none.
func (i Interview) Answered(question uuid.UUID) *Take {
	var found *Take
	for n := range i.Takes {
		t := &i.Takes[n]
		switch {
		case t.QuestionID != question || t.Status == TakeAborted:
		case found == nil || t.Status == TakeSealed || found.Status != TakeSealed:
			found = t
		}
	}
	return found
}

// Unanswerable reports whether the trader cannot answer the question any more: all of its takes
// were interrupted, or the trader has reported that the devices do not work and cannot answer in
// writing.
func (i Interview) Unanswerable(q Question) bool {
	lost := 0
	for _, t := range i.Takes {
		switch {
		case t.QuestionID != q.ID:
		case t.Status == TakeSealed:
			return false
		case t.Status == TakeAborted && t.Counts:
			lost++
		}
	}
	deviceless := i.Device != nil && i.Device.Outcome == DeviceOverridden && !slices.Contains(i.AnswerModes, string(AnswerText))
	return lost >= q.MaxTakes || deviceless
}

// Step returns the state of the step.
func (i Interview) Step(name steps.Name) steps.Step {
	n := slices.IndexFunc(i.Steps, func(s steps.Step) bool { return s.Step == name })
	if n < 0 {
		return steps.Step{InterviewID: i.ID, Step: name, Status: steps.Pending}
	}
	return i.Steps[n]
}

// folder is the folder of the blobs of interviews.
const folder = "interviews/"

// Prefix returns the prefix of all blobs of an interview. Everything below it is deleted with the
// interview.
func Prefix(id uuid.UUID) string { return folder + id.String() + "/" }

func takesPrefix(id uuid.UUID) string { return Prefix(id) + "takes/" }

// AllMediaPrefix returns the prefix of the blobs of all versions of the media.
func AllMediaPrefix(id uuid.UUID) string { return Prefix(id) + "media/" }

// RecordingPrefixes returns the prefixes of the blobs of an interview's takes and media.
func RecordingPrefixes(id uuid.UUID) []string { return []string{takesPrefix(id), AllMediaPrefix(id)} }

// TakePrefix returns the prefix of the uploaded parts of a take.
func TakePrefix(id, take uuid.UUID) string { return takesPrefix(id) + take.String() + "/" }

// MediaPrefix returns the prefix of the blobs of a version of the media.
func MediaPrefix(id uuid.UUID, version int) string {
	return AllMediaPrefix(id) + strconv.Itoa(version) + "/"
}

// AutoQuestion describes how a question was made from the trader's data.
type AutoQuestion struct {
	Prompt      string `json:"prompt"`
	Topic       string `json:"topic"`
	FindingKind string `json:"finding_kind"`
}
