package interviews

import (
	"cmp"
	"net/http"
	"time"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/interviews/invite"
)

// optionsBody is the options for new interviews, and what their traders will see of the firm.
//
//openapi:name InterviewOptions
type optionsBody struct {
	Languages           []string               `json:"languages" api:"max=35,items=100" example:"[\"en\"]"`       // languages in which interviews can be held (BCP 47)
	Topics              []string               `json:"topics" api:"max=50,items=50" example:"[\"holding_time\"]"` // topics that questions can be about
	Presets             []string               `json:"presets" api:"max=100,items=100" example:"[\"neutral\"]"`   // names of the presets of thresholds
	Questions           []templateQuestionBody `json:"questions" api:"items=50"`                                  // default questions, asked if an interview has none of its own
	MaxRecordingSeconds int                    `json:"max_recording_seconds" example:"10800"`                     // maximum total length of all takes of an interview, in seconds
	Firm                firmBody               `json:"firm"`                                                      // what traders see of the organization
}

// templateQuestionBody is a question of the default set.
//
//openapi:name TemplateQuestion
type templateQuestionBody struct {
	Prompt       string `json:"prompt" api:"max=1000" example:"How long do you usually keep a position open?"` // text of the question
	Topic        string `json:"topic" api:"max=50,open" example:"holding_time"`                                // topic that claims are expected about
	ThinkSeconds int    `json:"think_seconds" api:"max=300" example:"30"`                                      // seconds to think before the recording begins
	MaxSeconds   int    `json:"max_seconds" api:"min=15,max=600" example:"120"`                                // maximum length of an answer in seconds
	MaxTakes     int    `json:"max_takes" api:"min=1,max=5" example:"1"`                                       // maximum number of takes
	Required     bool   `json:"required"`                                                                      // whether the question must be answered before the interview can be submitted
}

// firmBody is what traders see of the organization.
//
//openapi:name Firm
type firmBody struct {
	Name        string  `json:"name" api:"max=200" example:"Alpha Capital"`                                     // name of the organization
	Contact     *string `json:"contact" api:"max=500" example:"risk@alpha.example"`                             // Whom traders can contact. Null if no contact is set.
	LawfulBasis *string `json:"lawful_basis" api:"max=1000" example:"Legitimate interest (GDPR Art. 6(1)(f))."` // Lawful basis for recording. Null if none is set.
}

// interviewOptions answers GET /v1/interviews/options.
func (a *API) interviewOptions(w http.ResponseWriter, r *http.Request) error {
	s, err := access.ReadSettings(r.Context(), a.store, route.CallerOrganization(r))
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, optionsBody{
		Languages: a.languages, Topics: invite.Topics(), Presets: ruleset.PresetNames(),
		Questions: response.ConvertRows(invite.DefaultQuestions(), func(q invite.Question) templateQuestionBody {
			return templateQuestionBody{q.Prompt, q.Topic, q.ThinkSeconds, q.MaxSeconds, q.MaxTakes, q.Required}
		}),
		MaxRecordingSeconds: int(invite.MaxRecording / time.Second), Firm: firmBody{s.Name, s.Contact, cmp.Or(s.LawfulBasis, store.OrNil(a.basis))},
	})
}
