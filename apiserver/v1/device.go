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

// A browser in which somebody has signed in with a password keeps a cookie that
// says so. Its attempts for the same account have a budget of their own, which
// nobody else's attempts use up.
const (
	deviceCookie  = "__Host-assay_device"
	devicePurpose = "the cookie of a browser that has signed in"
	deviceLife    = 180 * 24 * time.Hour
)

// device is what the cookie holds, sealed.
type device struct {
	ID      string    `json:"i"` // random
	Account []byte    `json:"a"` // a hash of the address
	Until   time.Time `json:"u"`
}

// accountHash is what stands for the address in a device.
func accountHash(email string) []byte {
	sum := sha256.Sum256([]byte(strings.ToLower(email)))
	return sum[:]
}

// knownDevice returns the id of the browser in which the address has signed in
// before; empty when it has not, as far as is known.
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
		return "" // of another installation, or sealed by a key that is no more
	}
	var d device
	if err := json.Unmarshal(text, &d); err != nil || string(d.Account) != string(accountHash(email)) || time.Now().After(d.Until) {
		return ""
	}
	return d.ID
}

// rememberDevice gives the browser the cookie. Without it the browser's next
// sign-in is one like any other, so that an error fails nothing.
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
