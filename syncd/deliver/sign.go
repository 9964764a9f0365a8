package deliver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/store/seal"
)

// Headers of Standard Webhooks.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// errSecret means that a signing secret does not have the format in which assay
// makes them.
var errSecret = errors.New("the signing secret is not valid")

// signBody returns a message's signatures by each of the secrets, in the format of
// the header.
func signBody(secrets []seal.Secret, id string, at time.Time, body []byte) (string, error) {
	signatures := make([]string, 0, len(secrets))
	for _, s := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Reveal(), "whsec_"))
		if err != nil || len(key) == 0 {
			return "", errSecret
		}
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write(strconv.AppendInt([]byte(id+"."), at.Unix(), 10)) // a hash accepts every write
		_, _ = mac.Write([]byte{'.'})
		_, _ = mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	if len(signatures) == 0 {
		return "", errSecret
	}
	return strings.Join(signatures, " "), nil
}
