package access

import (
	"cmp"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// Bounds of an organization's settings, in characters.
const (
	maxContact     = 500
	maxLawfulBasis = 1000
)

// settingsBody is the settings of the caller's organization.
//
//openapi:name OrganizationSettings
type settingsBody struct {
	ID      uuid.UUID `json:"id"`                                                 // unique identifier of the organization
	Name    string    `json:"name" api:"max=200" example:"Alpha Capital"`         // name of the organization, as shown to traders
	Contact *string   `json:"contact" api:"max=500" example:"risk@alpha.example"` // Whom traders can contact. Null if no contact is set.
	// Lawful basis for recording, shown to traders before they consent. Null if it is set neither
	// here nor in the configuration.
	LawfulBasis  *string   `json:"lawful_basis" api:"max=1000" example:"Legitimate interest (GDPR Art. 6(1)(f))."`
	OffBoxSpeech bool      `json:"off_box_speech"` // whether recordings may be sent to the configured speech server
	OffBoxProse  bool      `json:"off_box_prose"`  // whether transcripts may be sent to the configured chat server
	CreatedAt    time.Time `json:"created_at"`     // when the organization was created
}

func (a *API) settingsOf(s access.Settings) settingsBody {
	return settingsBody{s.ID, s.Name, s.Contact, cmp.Or(s.LawfulBasis, store.OrNil(a.basis)), s.OffBoxSpeech, s.OffBoxProse, s.CreatedAt}
}

// getOrganization answers GET /v1/organization.
func (a *API) getOrganization(w http.ResponseWriter, r *http.Request) error {
	s, err := access.ReadSettings(r.Context(), a.store, route.CallerOrganization(r))
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, a.settingsOf(s))
}

// updateOrganization answers PATCH /v1/organization with what a GET answers.
func (a *API) updateOrganization(w http.ResponseWriter, r *http.Request) error {
	condition, err := response.IfMatch(r, a.settingsOf)
	if err != nil {
		return err
	}
	p, err := decode.BodyOf(r, readOrganizationPatch)
	if err != nil {
		return err
	}
	p.If = condition
	render := func(s access.Settings) response.Reply {
		return response.Reply{Status: http.StatusOK, Body: a.settingsOf(s), Item: true}
	}
	s, err := access.UpdateSettings(r.Context(), a.store, route.NewRepeatableChange(r, render), p)
	if err != nil {
		return problem.ExplainTaken(err, "Another organization has this name.", "name")
	}
	return render(s).Write(w)
}

// readOrganizationPatch reads the body of PATCH /v1/organization.
func readOrganizationPatch(o *decode.Object) access.SettingsPatch {
	name := decode.ReadLabel(o, "name", access.MaxOrganizationName)
	o.Note("name", decode.Note{About: "Name of the organization, as shown to traders.", Example: "Alpha Capital"})
	o.RefuseNull("name", name.State)
	contact := decode.ReadWords(o, "contact", maxContact, "Whom traders can contact, such as an address. Null for no contact.")
	basis := decode.ReadWords(o, "lawful_basis", maxLawfulBasis, "Lawful basis for recording, shown to traders before they consent. Null to use the configured one.")
	speech := o.Bool("off_box_speech")
	o.Note("off_box_speech", decode.Note{About: "Whether recordings may be sent to the configured speech server.", Example: false})
	o.RefuseNull("off_box_speech", speech.State)
	prose := o.Bool("off_box_prose")
	o.Note("off_box_prose", decode.Note{About: "Whether transcripts may be sent to the configured chat server.", Example: false})
	o.RefuseNull("off_box_prose", prose.State)
	return access.SettingsPatch{
		Name: decode.GivenText(name), Contact: decode.ClearableText(contact), LawfulBasis: decode.ClearableText(basis),
		OffBoxSpeech: decode.PatchedValue(speech, false), OffBoxProse: decode.PatchedValue(prose, false),
	}
}
