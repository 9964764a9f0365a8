package report

import (
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// Input is everything on which a report depends.
type Input struct {
	Version     int
	GeneratedAt time.Time

	Partial            bool // time ran out after some of the answers
	FullscreenRequired bool // the trader was asked not to leave full screen
	MediaFailed        bool // there is nothing to play
	TranscriptFailed   bool
	ActivityFailed     bool
	Questions          []Question
	Takes              []Take
	Transcript         *Transcript // nil when there is none
	Events             []Event     // of the trader's browser and the server, in any order
	Confirmed          []string    // ids of claims whose words a reviewer has heard
	SameEmail          []SameEmail // the traders of other platforms with the trader's email

	// Trades and Activity are the trades and their analysis, or nil if there are
	// none. Accounts, Ended and ByEmail are those of claims.Data. FirstTrade is the
	// first open in all known data.
	Trades     *trades.Input
	Activity   *result.Activity
	Accounts   *int
	Ended      int
	ByEmail    int
	FirstTrade *time.Time

	Draft *Draft // of a language model; nil when none was asked
}

// Question is a question of the interview.
type Question struct {
	ID     string
	Topic  string // one of claims.Topics, or another about which no claim is expected
	Prompt string // as the trader read it, because it decides what a yes or a no means
	// Unanswered means that the trader has submitted without a required answer.
	Unanswered bool
	Unreadable bool // no part of the recorded answer could be used
	Cut        bool // the end of the recorded answer was left out
}

// SameEmail is a trader of another platform who has the email of the interviewed one.
type SameEmail struct {
	Name       string // empty when not known
	ExternalID string // the platform's id
	Platform   string // name of the integration
	// Analyzed means that the trader's accounts are among those that were analyzed.
	Analyzed bool
}

// Take is a recording of a submitted answer.
type Take struct {
	QuestionID string
	Recorded   bool          // false for a written answer
	At         time.Time     // when it was begun, on the server's clock
	Lasted     time.Duration // zero when not known
}

// Transcript is what was said and written.
type Transcript struct {
	Engine   string
	Model    string // empty when the engine does not report it
	Language string // BCP 47; empty means English
	Quality  string // draft or standard
	Segments []claims.Segment
}

// isRead reports whether statements are read from a transcript, which may be nil.
func (t *Transcript) isRead() bool { return t != nil && extract.ReadsLanguage(t.Language) }

// With draft quality, many words may be wrong.
const qualityDraft = "draft"

// Event is an observation of the trader's browser or of the server.
type Event struct {
	ID         string
	Kind       string
	Severity   string        // info, low, medium or high: by itself
	QuestionID string        // empty when it belongs to none
	At         time.Time     // on the server's clock
	Lasted     time.Duration // zero for a moment, or when not known
	Measured   bool          // in the recording; otherwise the browser noticed it
}

// Draft is the text of a language model.
type Draft struct {
	Model        string         // the name sent to the server
	PromptSHA256 string         // of the prompt, in hex
	Raw          string         // the answer, cut to a length
	Text         string         // of a summary that passed the checks; otherwise empty
	Claims       []claims.Claim // that passed the checks
	Refused      int            // claims that did not
	Problem      string         // why no part of it is used; empty when some part is
}
