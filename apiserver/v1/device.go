package v1

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/middleware"
)

// A browser in which somebody has signed in with a password keeps a cookie as proof. Its attempts
// for the same account have a separate budget, which other people's attempts cannot use up.
const (
	deviceCookie  = "__Host-assay_device"
	devicePurpose = "the cookie of a browser that has signed in"
	deviceLife    = 180 * 24 * time.Hour
)

// device is the content of the cookie, which is sealed.
type device struct {
	ID      string    `json:"i"` // random
	Account []byte    `json:"a"` // hash of the address
	Until   time.Time `json:"u"`
}

// accountHash returns the hash that represents the address in a device.
func accountHash(email string) []byte {
	sum := sha256.Sum256([]byte(strings.ToLower(email)))
	return sum[:]
}

// knownDevice returns the id of the browser if the address has signed in there before, as far as
// is known, and otherwise an empty string.
func (a *API) knownDevice(r *http.Request, email string) string {
	cookie, err := r.Cookie(deviceCookie)
	if err != nil {
		return ""
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return ""
	}
	text, err := a.store.OpenFor(devicePurpose, sealed)
	if err != nil {
		return "" // from another installation, or sealed with a key that no longer exists
	}
	var d device
	if err := json.Unmarshal(text, &d); err != nil || string(d.Account) != string(accountHash(email)) || time.Now().After(d.Until) {
		return ""
	}
	return d.ID
}

// rememberDevice sends the cookie to the browser. Without it, the next sign-in is treated like
// any other, so an error here is not fatal.
func (a *API) rememberDevice(w http.ResponseWriter, r *http.Request, email string) {
	d := device{ID: cmp.Or(a.knownDevice(r, email), rand.Text()), Account: accountHash(email), Until: time.Now().Add(deviceLife)}
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
