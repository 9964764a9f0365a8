package report

import (
	"time"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/interview/claims"
)

// Input is all that a report depends on.
type Input struct {
	Version     int
	GeneratedAt time.Time

	Partial            bool // time ran out after some of the answers
	FullscreenRequired bool // the trader was told not to leave full screen
	MediaFailed        bool // there is nothing to play
	TranscriptFailed   bool
	ActivityFailed     bool
	Questions          []Question
	Takes              []Take
	Transcript         *Transcript // nil: none
	Events             []Event     // of the trader's browser and the server, in any order
	Confirmed          []string    // ids of claims of which a reviewer has heard the words
	SameEmail          []string    // names of the platforms that have a trader with the trader's email; empty where at most one has

	// Trades and Activity are the trades and their analysis; nil when there are
	// none. Accounts is how many accounts the trader has in the directory; nil:
	// nobody knows. FirstTrade is the first open in all that is known.
	Trades     *analysis.Input
	Activity   *analysis.Activity
	Accounts   *int
	Ended      int // of Accounts, those that are over
	FirstTrade *time.Time

	Draft *Draft // of a language model; nil: none was asked
}

// Question is what was asked.
type Question struct {
	ID     string
	Topic  string // one of claims.Topics, or another that no claim is expected of
	Prompt string // as the trader read it: what a yes or a no means depends on it
	// Unanswered: the trader has submitted without an answer, which was required.
	Unanswered bool
}

// Take is a recording of an answer that was handed in.
type Take struct {
	QuestionID string
	Recorded   bool          // false: a written answer
	At         time.Time     // when it was begun, on the server's clock
	Lasted     time.Duration // zero: not known
}

// Transcript is what was said and written.
type Transcript struct {
	Engine   string
	Model    string // empty: the engine tells none
	Quality  string // draft or standard
	Segments []claims.Segment
}

// Draft quality: words may well be wrong.
const qualityDraft = "draft"

// Event is an observation of the trader's browser or of the server.
type Event struct {
	ID         string
	Kind       string
	Severity   string        // info, low, medium or high: by itself
	QuestionID string        // empty: of none
	At         time.Time     // on the server's clock
	Lasted     time.Duration // zero: a moment, or not known
}

// Draft is what a language model has written.
type Draft struct {
	Model        string         // as the server was asked for
	PromptSHA256 string         // of what it was told, in hex
	Raw          string         // what it answered, cut to a length
	Text         string         // of a summary that passed the checks; empty: none
	Claims       []claims.Claim // that passed the checks
	Refused      int            // claims that did not
	Problem      string         // why nothing of it is used; empty: something is
}
