package access

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/store/access"
)

// A browser in which a person has signed in with a password keeps a cookie as proof. Its attempts
// to sign in as that person have a separate budget, which other people's attempts cannot use up.
const (
	deviceCookie  = "__Host-assay_device"
	devicePurpose = "the cookie of a browser that has signed in"
	deviceLife    = 180 * 24 * time.Hour
)

// device is the content of the cookie, which is sealed.
type device struct {
	ID       string    `json:"i"` // random
	PersonID uuid.UUID `json:"p"`
	Until    time.Time `json:"u"`
}

// knownDevice returns the id of the browser and the one of the people who has signed in there
// before, as far as is known, and otherwise an empty string. The address does not count: any
// organization can add the address of another one's person, and sign in with it.
func (a *API) knownDevice(r *http.Request, people []access.Candidate) (id string, who access.Candidate) {
	cookie, err := r.Cookie(deviceCookie)
	if err != nil {
		return "", who
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return "", who
	}
	text, err := a.store.OpenFor(devicePurpose, sealed)
	if err != nil {
		return "", who // from another installation, or sealed with a key that no longer exists
	}
	var d device
	if err := json.Unmarshal(text, &d); err != nil || time.Now().After(d.Until) {
		return "", who
	}
	i := slices.IndexFunc(people, func(c access.Candidate) bool { return c.PersonID == d.PersonID })
	if i < 0 {
		return "", who
	}
	return d.ID, people[i]
}

// rememberDevice sends the cookie to the browser. Without it, the next sign-in is treated like
// any other, so an error here is not fatal.
func (a *API) rememberDevice(w http.ResponseWriter, r *http.Request, who access.Candidate) {
	id, _ := a.knownDevice(r, []access.Candidate{who})
	d := device{ID: cmp.Or(id, rand.Text()), PersonID: who.PersonID, Until: time.Now().Add(deviceLife)}
	text, err := json.Marshal(d)
	if err == nil {
		text, err = a.store.SealFor(devicePurpose, text)
	}
	if err != nil {
		event := middleware.EventFrom(r.Context())
		event.Cause = cmp.Or(event.Cause, err)
		return
	}
	auth.SetHostCookie(w, deviceCookie, base64.RawURLEncoding.EncodeToString(text), deviceLife)
}
