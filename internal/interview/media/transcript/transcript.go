// Package transcript holds what was said in an interview, in the form in which it
// is stored and served. It converts the results of speech engines to that form: on
// the interview's timeline, in order, without overlaps, and with a reliable
// confidence.
package transcript

import "time"

// Quality says how far a transcript can be trusted.
type Quality string

// The qualities of transcripts.
const (
	Draft    Quality = "draft"    // many words are wrong; listen before you quote
	Standard Quality = "standard" // as good as such engines are
)

// Timing is how finely the times of a transcript are known.
type Timing string

// The timings, the finest first.
const (
	ByWord    Timing = "word"
	BySegment Timing = "segment"
	ByAnswer  Timing = "answer_level" // of the answer alone; the times of its segments are estimates
)

// Typed is the engine of written answers.
const Typed = "typed"

// Transcript is what was said and written in an interview.
type Transcript struct {
	Engine      string    `json:"engine"`          // such as pocketsphinx or openai; typed when all was written
	Model       string    `json:"model,omitempty"` // of the engine
	Language    string    `json:"language"`        // BCP 47
	Quality     Quality   `json:"quality"`
	Timing      Timing    `json:"timing"` // of the answer where it is coarsest
	GeneratedAt time.Time `json:"generated_at"`
	Segments    []Segment `json:"segments"`
	// Discarded counts segments that the engine itself took for no speech.
	Discarded int `json:"discarded_count"`
	// Note says what is known about the share of wrong words, or why spoken answers
	// are missing.
	Note string `json:"wer_note,omitempty"`
}

// Segment is a part of a transcript. Segments are in order and do not overlap.
type Segment struct {
	ID         string   `json:"id"` // s1, s2, …
	QuestionID string   `json:"question_id"`
	Take       int      `json:"take"`
	StartMS    int64    `json:"start_ms"` // on the timeline of the whole interview
	EndMS      int64    `json:"end_ms"`   // equals StartMS in written answers, which take no time
	Speaker    string   `json:"speaker"`  // trader
	Text       string   `json:"text"`
	Confidence *float64 `json:"confidence"`       // 0 to 1; null when the engine reports none
	Words      []Word   `json:"words,omitempty"`  // absent when the engine reports none
	Engine     string   `json:"engine,omitempty"` // typed; absent means the transcript's
	// Recognized is what the engine recognized, and Corrections what people have
	// replaced it with, oldest first. Both are absent unless somebody has corrected
	// the segment. Text and Words are those of the last correction.
	Recognized  *Recognized  `json:"recognized,omitempty"`
	Corrections []Correction `json:"corrections,omitempty"`
}

// Recognized is what an engine recognized in a segment that a person has corrected.
type Recognized struct {
	Text       string   `json:"text"`
	Confidence *float64 `json:"confidence"`
	Words      []Word   `json:"words,omitempty"`
}

// Correction is what a person says a segment's words are.
type Correction struct {
	Text        string    `json:"text"`
	CorrectedBy string    `json:"corrected_by"` // name of the user or API key
	CorrectedAt time.Time `json:"corrected_at"`
}

// Word is a word of a segment.
type Word struct {
	Text       string   `json:"w"`
	StartMS    int64    `json:"start_ms"`
	EndMS      int64    `json:"end_ms"`
	Confidence *float64 `json:"confidence"` // 0 to 1; null when the engine reports none
}

// Head is what describes a transcript as a whole.
type Head struct {
	Engine, Model, Language string
	Quality                 Quality
	Note                    string
	GeneratedAt             time.Time
}

// Answer says where an answer is on the timeline, and what was said or written.
type Answer struct {
	QuestionID  string
	Take        int
	Start, End  time.Duration // on the timeline of the interview
	Recognition *Recognition  // nil when it was not transcribed
	Text        string        // of a written answer
}
