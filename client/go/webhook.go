package assay

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Headers of a delivery, as in Standard Webhooks.
const (
	HeaderWebhookID        = "webhook-id"
	HeaderWebhookTimestamp = "webhook-timestamp"
	HeaderWebhookSignature = "webhook-signature"
)

// webhookTolerance is how far the time of a delivery may be from now, as Standard Webhooks recommends.
const webhookTolerance = 5 * time.Minute

// ErrWebhookSignature means that a request to your endpoint was not sent by assay, or not recently.
// Answer it with 401.
var ErrWebhookSignature = errors.New("assay: the webhook's signature is not valid")

// Event is what assay sends to webhook endpoints.
type Event struct {
	ID        string       // the same in each attempt: use it to recognize repetitions
	Type      string       // such as trader.created; new types may be added
	Timestamp time.Time    // when it happened, which is the same in each attempt
	Sequence  int64        // increases by one with each event for the endpoint
	Payload   EventPayload `json:"-"` // the whole event; its As… methods return it by type
}

// ParseWebhook verifies a delivery with the endpoint's secret and reads its event. body must be as it
// was received. Give the old secret, too, while you replace it. An error that is not
// ErrWebhookSignature means that the secret or the event cannot be read.
func ParseWebhook(header http.Header, body []byte, secrets ...string) (*Event, error) {
	if err := verifyWebhook(header, body, time.Now(), secrets); err != nil {
		return nil, err
	}
	return parseEvent(body)
}

func parseEvent(body []byte) (*Event, error) {
	e := new(Event)
	if err := errors.Join(json.Unmarshal(body, e), e.Payload.UnmarshalJSON(body)); err != nil {
		return nil, fmt.Errorf("assay: read the event: %w", err)
	}
	return e, nil
}

func verifyWebhook(header http.Header, body []byte, now time.Time, secrets []string) error {
	seconds, err := strconv.ParseInt(header.Get(HeaderWebhookTimestamp), 10, 64)
	if err != nil {
		return ErrWebhookSignature
	}
	at := time.Unix(seconds, 0)
	if at.Before(now.Add(-webhookTolerance)) || at.After(now.Add(webhookTolerance)) {
		return fmt.Errorf("%w: it is of %s, which is too far from now", ErrWebhookSignature, at.UTC().Format(time.RFC3339))
	}
	for _, secret := range secrets {
		want, err := SignWebhook(secret, header.Get(HeaderWebhookID), at, body)
		if err != nil {
			return err
		}
		for given := range strings.FieldsSeq(header.Get(HeaderWebhookSignature)) {
			if hmac.Equal([]byte(given), []byte(want)) {
				return nil
			}
		}
	}
	return ErrWebhookSignature
}

// SignWebhook returns the signature of a delivery by the secret, for tests of your endpoint.
func SignWebhook(secret, id string, at time.Time, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return "", errors.New("assay: the secret is not a webhook endpoint's, which begins with whsec_")
	}
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%d.", id, at.Unix()) // a hash accepts every write
	_, _ = mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}
