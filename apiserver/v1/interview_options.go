package v1

import (
	"net/http"
	"time"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/interviews/invite"
)

// optionsBody is what a new interview may choose from, and what its trader will
// read of the firm.
//
//openapi:name InterviewOptions
type optionsBody struct {
	Languages           []string               `json:"languages" api:"max=35,items=100" example:"[\"en\"]"`       // that interviews may be held in (BCP 47)
	Topics              []string               `json:"topics" api:"max=50,items=50" example:"[\"holding_time\"]"` // that questions may be about
	Presets             []string               `json:"presets" api:"max=100,items=100" example:"[\"neutral\"]"`   // of thresholds, by name
	Questions           []templateQuestionBody `json:"questions" api:"items=50"`                                  // that are asked where an interview brings none of its own
	MaxRecordingSeconds int                    `json:"max_recording_seconds" example:"10800"`                     // what all takes of an interview may last together
	Firm                firmBody               `json:"firm"`                                                      // what the trader reads of the organization
}

// templateQuestionBody is a question of the default set.
//
//openapi:name TemplateQuestion
type templateQuestionBody struct {
	Prompt       string `json:"prompt" api:"max=1000" example:"How long do you usually keep a position open?"` // what the trader is asked
	Topic        string `json:"topic" api:"max=50,open" example:"holding_time"`                                // what claims are expected about
	ThinkSeconds int    `json:"think_seconds" api:"max=300" example:"30"`                                      // time to think before the recording begins
	MaxSeconds   int    `json:"max_seconds" api:"min=15,max=600" example:"120"`                                // the longest answer
	MaxTakes     int    `json:"max_takes" api:"min=1,max=5" example:"1"`                                       // how often it may be recorded
	Required     bool   `json:"required"`                                                                      // must be answered before the interview can be submitted
}

// firmBody is what traders read of the organization.
//
//openapi:name Firm
type firmBody struct {
	Name        string  `json:"name" api:"max=200" example:"Alpha Capital"`                                     // what it is called
	Contact     *string `json:"contact" api:"max=500" example:"risk@alpha.example"`                             // whom traders ask; null: nobody is named
	LawfulBasis *string `json:"lawful_basis" api:"max=1000" example:"Legitimate interest (GDPR Art. 6(1)(f))."` // why recording is lawful; null: nothing is said
}

// interviewOptions answers GET /v1/interviews/options.
func (a *API) interviewOptions(w http.ResponseWriter, r *http.Request) error {
	s, err := access.ReadSettings(r.Context(), a.store, callerOrganization(r))
	if err != nil {
		return err
	}
	firm := a.settingsOf(s)
	return answerItem(w, r, optionsBody{
		Languages: a.languages, Topics: invite.Topics(), Presets: analysis.PresetNames(),
		Questions: convertRows(invite.DefaultQuestions(), func(q invite.Question) templateQuestionBody {
			return templateQuestionBody{q.Prompt, q.Topic, q.ThinkSeconds, q.MaxSeconds, q.MaxTakes, q.Required}
		}),
		MaxRecordingSeconds: int(invite.MaxRecording / time.Second), Firm: firmBody{firm.Name, firm.Contact, firm.LawfulBasis},
	})
}
