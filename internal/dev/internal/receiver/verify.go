package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how old a request may be, or how far ahead: one that somebody has
// recorded can't be sent again later.
const tolerance = 5 * time.Minute

// What is wrong with a request.
var (
	errNoSecret  = errors.New("the secret is not known yet")
	errHeaders   = errors.New("headers webhook-id, webhook-timestamp or webhook-signature are missing")
	errTimestamp = errors.New("webhook-timestamp is not within five minutes of now")
	errSignature = errors.New("no signature is right")
)

// Verify checks a request as Standard Webhooks describes. secret has the form in which the API
// returns it, with its prefix.
func Verify(secret string, h http.Header, body []byte, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return errNoSecret
	}
	id, at, signatures := h.Get("webhook-id"), h.Get("webhook-timestamp"), strings.Fields(h.Get("webhook-signature"))
	if id == "" || at == "" || len(signatures) == 0 {
		return errHeaders
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return errTimestamp
	}
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(id + "." + at + ".")) // a hash takes everything
	_, _ = mac.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, s := range signatures { // two while a secret is being rotated
		if hmac.Equal([]byte(s), want) {
			return nil
		}
	}
	return errSignature
}
