package interviews

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/internal/interview/media/transcript"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews/review"
)

// segmentVariable is the path variable that names a segment of a transcript.
const segmentVariable = "segmentId"

// segmentBody is a passage of a transcript with the history of its words.
//
//openapi:name TranscriptSegment
type segmentBody struct {
	ID          string                  `json:"id" api:"max=36" example:"s1"`                          // identifier of the segment in the transcript
	QuestionID  string                  `json:"question_id" api:"max=36" example:"0197b7c1-7a2e-7c3b"` // unique identifier of the question that the segment answers
	Take        int                     `json:"take" example:"1"`                                      // take that the segment is from
	StartMS     int64                   `json:"start_ms" example:"12300"`                              // beginning in the recording, in milliseconds
	EndMS       int64                   `json:"end_ms" example:"15800"`                                // end in the recording, in milliseconds
	Text        string                  `json:"text" api:"max=4000" example:"I hold for nine days."`   // last correction, or what was recognized or written
	Confidence  *float64                `json:"confidence" api:"float,min=0,max=1" example:"null"`     // Confidence of the recognition. Null if unknown, or if the words were corrected.
	Recognized  *recognizedBody         `json:"recognized"`                                            // What was recognized. Null unless the words were corrected.
	Corrections []segmentCorrectionBody `json:"corrections" api:"items=50"`                            // corrections of the words, oldest first
}

// recognizedBody is what the speech recognition made of a corrected segment.
//
//openapi:name RecognizedWords
type recognizedBody struct {
	Text       string   `json:"text" api:"max=4000" example:"I hold for five days."` // recognized words
	Confidence *float64 `json:"confidence" api:"float,min=0,max=1" example:"0.41"`   // Confidence of the recognition. Null if unknown.
}

// segmentCorrectionBody is a correction of a segment's words.
//
//openapi:name TranscriptCorrection
type segmentCorrectionBody struct {
	Text        string    `json:"text" api:"max=4000" example:"I hold for nine days."` // corrected words
	CorrectedBy string    `json:"corrected_by" api:"max=200" example:"Ann Reviewer"`   // name of the user or API key that corrected the words
	CorrectedAt time.Time `json:"corrected_at"`                                        // when the words were corrected
}

func segmentOf(s *transcript.Segment) segmentBody {
	b := segmentBody{
		ID: s.ID, QuestionID: s.QuestionID, Take: s.Take, StartMS: s.StartMS, EndMS: s.EndMS, Text: s.Text, Confidence: s.Confidence,
		Corrections: response.ConvertRows(s.Corrections, func(c transcript.Correction) segmentCorrectionBody { return segmentCorrectionBody(c) }),
	}
	if s.Recognized != nil {
		b.Recognized = &recognizedBody{s.Recognized.Text, s.Recognized.Confidence}
	}
	return b
}

// findSegment decodes a stored transcript and finds one of its segments. It returns ErrNotFound if
// there is none.
func findSegment(stored json.RawMessage, id string) (*transcript.Transcript, *transcript.Segment, error) {
	t := new(transcript.Transcript)
	if err := json.Unmarshal(stored, t); err != nil {
		return nil, nil, err
	}
	s, err := t.Find(id)
	if errors.Is(err, transcript.ErrNoSegment) {
		err = store.ErrNotFound
	}
	return t, s, err
}

// getSegment answers GET /v1/interviews/{id}/segments/{segmentId}.
func (a *API) getSegment(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	stored, err := review.ReadTranscript(r.Context(), a.store, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	_, s, err := findSegment(stored, route.PathText(r, segmentVariable))
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, segmentOf(s))
}

// correctSegment answers PUT /v1/interviews/{id}/segments/{segmentId} with the corrected segment.
func (a *API) correctSegment(w http.ResponseWriter, r *http.Request) error {
	condition, err := response.IfMatch(r, segmentOf)
	if err != nil {
		return err
	}
	id, text, err := readRequired(a, r, readSegmentChange)
	if err != nil {
		return err
	}
	name, change := route.PathText(r, segmentVariable), route.NewChange(r)
	var corrected segmentBody
	err = review.CorrectTranscript(r.Context(), a.store, change, id, name, func(stored json.RawMessage) (json.RawMessage, error) {
		t, s, err := findSegment(stored, name)
		if err != nil {
			return nil, err
		}
		if condition != nil {
			if err := condition(s); err != nil {
				return nil, err
			}
		}
		changed, err := t.Correct(s, transcript.Correction{Text: text, CorrectedBy: change.By, CorrectedAt: time.Now().UTC().Truncate(time.Millisecond)})
		if err != nil {
			return nil, explainCorrection(err)
		}
		if corrected = segmentOf(s); !changed {
			return nil, nil
		}
		return json.Marshal(t)
	})
	if err != nil {
		return err
	}
	return response.Reply{Status: http.StatusOK, Body: corrected, Item: true}.Write(w)
}

// explainCorrection returns the problem for a correction that a transcript does not accept.
func explainCorrection(err error) error {
	refuse := func(code problem.Code, detail string) error {
		return &problem.Problem{Code: code, Detail: detail, Cause: err}
	}
	fault := func(code problem.FaultCode, detail string) error {
		p := problem.Validation(problem.Fault{Pointer: problem.Pointer{}.Member("text").String(), Code: code, Detail: detail})
		p.Cause = err
		return p
	}
	switch {
	case errors.Is(err, transcript.ErrTyped):
		return refuse(problem.Conflict, "The trader wrote this answer, so its words cannot be corrected.")
	case errors.Is(err, transcript.ErrCorrected):
		return refuse(problem.Conflict, "The passage was corrected as often as it can be.")
	case errors.Is(err, transcript.ErrNoWords):
		return fault(problem.InvalidFormat, "Must have a visible character.")
	case errors.Is(err, transcript.ErrLongerText):
		return fault(problem.TooLong, "Must have at most 4000 characters.")
	}
	return err
}

// readSegmentChange reads the body of a correction.
func readSegmentChange(o *decode.Object) string {
	return decode.ReadText(o, "text", transcript.MaxCorrection, "Words of the segment, as they were said. Line breaks become spaces.", "I hold for nine days.").Value
}
