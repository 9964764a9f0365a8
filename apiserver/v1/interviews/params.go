package interviews

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/v1/traders"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/invite"
)

// Limits of an interview's members.
const (
	maxReference     = 128
	maxLanguage      = 35
	maxWindowHours   = 720
	maxQuestions     = 20
	maxPrompt        = 1000
	maxThinkSeconds  = 300
	minMaxSeconds    = 15
	maxMaxSeconds    = 600
	maxTakes         = 5
	maxAutoQuestions = 5
	maxScopeAccounts = 100
	maxWindowDays    = 365
	maxZoneName      = 64
	minRetention     = 7
	maxMetadata      = 50
	maxMetadataBytes = 8 << 10
	maxWord          = 50
	maxPresetName    = 100
	uuidLength       = 36
)

// Defaults of an interview's members.
const (
	defaultLanguage      = "en"
	defaultWindowHours   = 72
	defaultAutoQuestions = 3
	defaultWindowDays    = 90
	defaultTimezone      = "UTC"
	defaultRetention     = 180
)

// readWhole reads a whole number. If it is absent or null, the default is returned.
func readWhole(o *decode.Object, name string, low, high, absent int, about string) int {
	n := o.Int(name, low, high)
	o.Note(name, decode.Note{About: about, Default: absent})
	if n.State != decode.Set {
		return absent
	}
	return n.Value
}

// newInterviewFrom reads the body of POST /v1/interviews.
func (a *API) newInterviewFrom(o *decode.Object) invite.New {
	n := invite.New{
		Reference: readReference(o), Reason: decode.ReadWord(o, "reason", invite.Reasons(), "other", "Why the interview is held.").Value,
		Language: a.readLanguage(o), AnswerModes: readAnswerModes(o),
		WindowHours: readWhole(o, "window_hours", 1, maxWindowHours, defaultWindowHours, "Number of hours within which the trader can start."),
		Questions:   readQuestions(o).Value,
		AutoQuestions: readWhole(o, "auto_questions", 0, maxAutoQuestions, defaultAutoQuestions,
			"Maximum number of questions from the trader's own data that are added when the trader starts. If the trader starts before they are ready, they are not asked."),
		Activity: readTradeScope(o), Integrity: readRules(o),
		RetentionDays: readWhole(o, "retention_days", minRetention, interviews.MaxRetentionDays, defaultRetention,
			"Number of days that the recording is kept after the interview ends. The transcript, report, and events are kept twice as long, up to 1095 days."),
		AssigneeUserID: readID(o, "assignee_user_id", "The person to assign the interview to. Null if it is to be unassigned.").Value,
	}
	unanswered := o.Bool("allow_unanswered")
	o.Note("allow_unanswered", decode.Note{
		About: "Whether a trader who cannot answer a required question, because all of its takes were interrupted or the devices do not work, may submit without an answer to it. " +
			"The answer then has `unanswered_at`, and the report says so. If false, such a trader sees whom to contact, and the answers that were given are submitted when time runs out.",
		Default: true,
	})
	n.AllowUnanswered = unanswered.State != decode.Set || unanswered.Value
	metadata := o.Free("metadata", maxMetadata, maxMetadataBytes)
	o.Note("metadata", decode.Note{About: "Further data to store with the interview.", Example: map[string]any{"ticket": "8812"}})
	if metadata.State == decode.Set {
		n.Metadata = json.RawMessage(metadata.Value)
	}
	readTraderOf(o, &n)
	return n
}

// readReference reads the firm's own reference for an interview, or nil if there is none.
func readReference(o *decode.Object) *string {
	reference := decode.ReadLabel(o, "reference", maxReference)
	o.Note("reference", decode.Note{About: "The firm's own reference of the interview. It must be unique.", Example: "PO-2041"})
	return decode.GivenText(reference)
}

// readLanguage reads one of the configured languages.
func (a *API) readLanguage(o *decode.Object) string {
	language := o.Text("language", maxLanguage)
	o.Note("language", decode.Note{About: "Language of the interview (BCP 47). It must be one of the languages that this server is configured for.", Default: defaultLanguage, Pattern: `^[A-Za-z0-9-]+$`})
	if language.State == decode.Absent || language.State == decode.Null {
		language.Value = defaultLanguage
	}
	if language.State != decode.Faulty && !slices.Contains(a.languages, language.Value) {
		o.Fault("language", problem.InvalidFormat, "Must be one of "+strings.Join(a.languages, ", ")+".")
	}
	return language.Value
}

// readAnswerModes reads at least one mode.
func readAnswerModes(o *decode.Object) []interviews.AnswerMode {
	var words []string
	for _, m := range interviews.AnswerModes() {
		words = append(words, string(m))
	}
	modes := o.Texts("answer_modes", len(words), maxWord, func(at problem.Pointer, text string) bool {
		known := slices.Contains(words, text)
		if !known {
			o.At(at, problem.InvalidFormat, "Must be one of "+strings.Join(words, ", ")+".")
		}
		return known
	})
	o.Note("answer_modes", decode.Note{
		About: "Ways in which questions may be answered. If allowed, traders who cannot or do not want to be filmed can answer by voice or in writing.",
		Least: 1, Unique: true, Default: []string{string(interviews.AnswerVideo)}, Each: &decode.Note{Values: words},
	})
	if modes.State != decode.Set {
		return []interviews.AnswerMode{interviews.AnswerVideo}
	}
	list := []interviews.AnswerMode{}
	for _, m := range modes.Value {
		if slices.Contains(list, interviews.AnswerMode(m)) {
			o.Fault("answer_modes", problem.InvalidFormat, "Must not list a mode twice.")
		}
		list = append(list, interviews.AnswerMode(m))
	}
	if len(list) == 0 {
		o.Fault("answer_modes", problem.TooFewItems, "Must list at least one mode.")
	}
	return list
}

// readQuestions reads questions whose total length is limited.
func readQuestions(o *decode.Object) decode.Field[[]invite.Question] {
	questions := decode.Objects(o, "questions", maxQuestions, readQuestion)
	o.Note("questions", decode.Note{About: "Questions for the trader. If empty, the default set of eight questions is used. All takes together may last up to three hours."})
	if questions.State == decode.Set && invite.Budget(questions.Value) > invite.MaxRecording {
		o.Fault("questions", problem.OutOfRange, fmt.Sprintf("max_seconds times max_takes, over all questions, must be at most %d.", invite.MaxRecording/time.Second))
	}
	return questions
}

func readQuestion(o *decode.Object) invite.Question {
	prompt := o.Text("prompt", maxPrompt)
	o.Note("prompt", decode.Note{About: "Text of the question. It must have a visible character.", Example: "How long do you usually keep a position open?", Least: 1})
	o.Require("prompt", prompt.State)
	if prompt.State == decode.Set && (decode.Blank(prompt.Value) || strings.ContainsFunc(prompt.Value, decode.LineControl)) {
		o.Fault("prompt", problem.InvalidFormat, "Must have a visible character, and no control characters except line feeds and tabs.")
	}
	q := invite.Question{
		Prompt:       prompt.Value,
		Topic:        decode.ReadWord(o, "topic", invite.Topics(), invite.TopicGeneral, "Topic that the answer is about. What the trader says about it is compared with the trades.").Value,
		ThinkSeconds: readWhole(o, "think_seconds", 0, maxThinkSeconds, invite.DefaultThinkSeconds, "Seconds to think before the recording begins."),
		MaxSeconds:   readWhole(o, "max_seconds", minMaxSeconds, maxMaxSeconds, invite.DefaultMaxSeconds, "Maximum length of an answer in seconds."),
		MaxTakes:     readWhole(o, "max_takes", 1, maxTakes, invite.DefaultMaxTakes, "Maximum number of takes."),
		Required:     true,
	}
	required := o.Bool("required")
	o.Note("required", decode.Note{About: "Whether the question must be answered before the interview can be submitted.", Default: true})
	if required.State == decode.Set {
		q.Required = required.Value
	}
	return q
}

// readTradeScope reads which trades the interview covers.
func readTradeScope(o *decode.Object) interviews.Scope {
	s := interviews.Scope{AccountIDs: []uuid.UUID{}, WindowDays: defaultWindowDays, Timezone: defaultTimezone}
	activity := o.Object("activity")
	o.Note("activity", decode.Note{About: "Trades that the interview is prepared from and compared with."})
	if activity.State != decode.Set {
		return s
	}
	in := activity.Value
	in.Texts("account_ids", maxScopeAccounts, uuidLength, func(at problem.Pointer, text string) bool {
		id, err := decode.UUID(text)
		if err != nil {
			in.At(at, problem.InvalidFormat, "Must be a UUID.")
			return false
		}
		if !slices.Contains(s.AccountIDs, id) {
			s.AccountIDs = append(s.AccountIDs, id)
		}
		return true
	})
	in.Note("account_ids", decode.Note{About: "Accounts of the trader. If empty, all are included.", Example: []string{}, Each: &decode.Note{Pattern: uuidPattern}})
	s.WindowDays = readWhole(in, "window_days", 1, maxWindowDays, defaultWindowDays, "How far back the trades go, in days.")
	zone := in.Text("timezone", maxZoneName)
	in.Note("timezone", decode.Note{About: "Timezone of the trader's days (IANA).", Default: defaultTimezone, Example: "Europe/Berlin"})
	if zone.State == decode.Set {
		s.Timezone = zone.Value
		if _, err := time.LoadLocation(zone.Value); err != nil || zone.Value == "" || zone.Value == "Local" {
			in.Fault("timezone", problem.InvalidFormat, "Must be an IANA time zone, such as Europe/Berlin.")
		}
	}
	preset, known := in.Text("preset", maxPresetName), ruleset.PresetNames()
	in.Note("preset", decode.Note{About: "Preset of thresholds to judge by: one of `" + strings.Join(known, "`, `") + "`. Null to use the organization's thresholds.", Example: known[0]})
	if preset.State == decode.Set && !slices.Contains(known, preset.Value) {
		preset = decode.NoteFormatFault(in, "preset", "Must be one of "+strings.Join(known, ", ")+".")
	}
	s.Preset = decode.GivenText(preset)
	in.Unknown()
	return s
}

// readRules reads what is monitored in the trader's browser.
func readRules(o *decode.Object) interviews.IntegrityRules {
	rules := interviews.IntegrityRules{Fullscreen: "ask", SecondScreen: "ask"}
	integrity := o.Object("integrity")
	o.Note("integrity", decode.Note{About: "What is monitored in the trader's browser."})
	if integrity.State != decode.Set {
		return rules
	}
	in, words := integrity.Value, []string{"off", "ask", "require"}
	rules.Fullscreen = decode.ReadWord(in, "fullscreen", words, "ask", "Whether the page fills the screen.").Value
	rules.SecondScreen = decode.ReadWord(in, "second_screen", words, "ask", "Whether there is another screen.").Value
	faces := in.Bool("face_presence")
	in.Note("face_presence", decode.Note{About: "Whether faces are counted. This happens only in the browser, and nothing of it is stored.", Default: false})
	rules.FacePresence = faces.Value
	in.Unknown()
	return rules
}

// uuidPattern is the pattern of ids.
const uuidPattern = `^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`

// readID reads an id. Value is nil if there is none.
func readID(o *decode.Object, name, about string) decode.Field[*uuid.UUID] {
	text := o.Text(name, uuidLength)
	o.Note(name, decode.Note{About: about, Pattern: uuidPattern})
	if text.State != decode.Set {
		return decode.Field[*uuid.UUID]{State: text.State}
	}
	id, err := decode.UUID(text.Value)
	if err != nil {
		o.Fault(name, problem.InvalidFormat, "Must be a UUID.")
		return decode.Field[*uuid.UUID]{State: decode.Faulty}
	}
	return decode.Field[*uuid.UUID]{State: decode.Set, Value: &id}
}

// readTraderOf reads the trader: either an id or the members of a trader, and not both.
func readTraderOf(o *decode.Object, n *invite.New) {
	id := readID(o, "trader_id", "Unique identifier of the trader. Either this or `trader` is required.")
	n.TraderID = id.Value
	trader := o.Object("trader")
	o.Note("trader", decode.Note{About: "The trader to interview, if you do not know the ID. If a trader in the directory has the same email, ignoring case, that trader is used unchanged. Otherwise, a trader is added."})
	if trader.State == decode.Set {
		made := traders.ReadNew(trader.Value)
		trader.Value.Unknown()
		n.Trader = &made
	}
	named := func(s decode.State) bool { return s == decode.Set || s == decode.Faulty }
	switch {
	case named(id.State) && named(trader.State):
		o.Fault("trader", problem.NotAllowedForKind, "Send either trader_id or trader, not both.")
	case !named(id.State) && !named(trader.State):
		o.Fault("trader_id", problem.Required, "Send either trader_id or trader, not both.")
	}
}

// windowHours reads an optional number of hours. nil keeps the previous one.
func windowHours(o *decode.Object) *int {
	hours := o.Int("window_hours", 1, maxWindowHours)
	o.Note("window_hours", decode.Note{About: "Number of hours within which the trader can start. If null or absent, it stays as before.", Example: defaultWindowHours})
	if hours.State != decode.Set {
		return nil
	}
	return &hours.Value
}

// readRetake reads the body of POST /v1/interviews/{id}/retake.
func readRetake(o *decode.Object) invite.Retake {
	r := invite.Retake{WindowHours: windowHours(o)}
	if reason := decode.ReadWord(o, "reason", invite.Reasons(), "", "Why the interview is held. If null or absent, it stays as before."); reason.State == decode.Set {
		r.Reason = &reason.Value
	}
	questions := readQuestions(o)
	o.Note("questions", decode.Note{About: "Questions for the trader. If null or absent, they stay as before. If empty, the default set of eight questions is used."})
	if questions.State == decode.Set {
		r.Questions = &questions.Value
	}
	return r
}

// Limits of what people do with interviews.
const (
	maxReason          = 4000
	maxHoldReason      = 1000
	maxExpiresHours    = 720
	defaultExpireHours = 168
)

// decisionParams is the body of POST /v1/interviews/{id}/decision.
type decisionParams struct {
	decision interviews.Decision
	reason   *string
}

func readDecision(o *decode.Object) decisionParams {
	var words []string
	for _, d := range interviews.Decisions() {
		words = append(words, string(d))
	}
	decision := decode.ReadWord(o, "decision", words, "", "What was decided.")
	o.Require("decision", decision.State)
	return decisionParams{interviews.Decision(decision.Value), decode.GivenText(decode.ReadWords(o, "reason", maxReason, "Reason for the decision. The trader has a right to know it."))}
}

// shareParams is the body of POST /v1/interviews/{id}/share.
type shareParams struct {
	hours           int
	includeDecision bool
}

func readShare(o *decode.Object) shareParams {
	p := shareParams{hours: readWhole(o, "expires_hours", 1, maxExpiresHours, defaultExpireHours, "Number of hours until the link expires.")}
	include := o.Bool("include_decision")
	o.Note("include_decision", decode.Note{About: "Whether the page shows the decision.", Default: false})
	p.includeDecision = include.Value
	return p
}

// readAssignment reads the body of POST /v1/interviews/{id}/assign: user_id is required but may
// be null.
func readAssignment(o *decode.Object) *uuid.UUID {
	text := o.Text("user_id", uuidLength)
	o.Note("user_id", decode.Note{About: "The person to assign the interview to. Null to unassign it.", Pattern: uuidPattern, Example: "019a9f3c-7d10-7b1e-9c65-6a1d3c1f2e08"})
	o.RequirePresent("user_id", text.State)
	if text.State != decode.Set {
		return nil
	}
	id, err := decode.UUID(text.Value)
	if err != nil {
		o.Fault("user_id", problem.InvalidFormat, "Must be a UUID.")
		return nil
	}
	return &id
}

// readCommunication reads the body of PATCH /v1/interviews/{id}/communication.
func readCommunication(o *decode.Object) bool {
	done := o.Bool("done")
	o.Note("done", decode.Note{About: "Whether the trader was informed of the outcome. Set it to false to correct an earlier true."})
	o.Require("done", done.State)
	return done.Value
}

// readHold reads the body of PUT /v1/interviews/{id}/legal-hold.
func readHold(o *decode.Object) *string {
	return decode.GivenText(decode.ReadWords(o, "reason", maxHoldReason, "Why the interview must be kept."))
}
