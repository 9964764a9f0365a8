package webhooks

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/event"
)

// envelopeSize is enough for all members of a payload except the data.
const envelopeSize = 256

// Payload returns the body that is sent, or nil once it has been deleted.
func (d *Delivery) Payload() []byte {
	if d.Data == nil {
		return nil
	}
	return encodePayload(d.EventID, d.EventType, d.OccurredAt, d.Sequence, d.Data)
}

// Payload returns the body to send.
func (d *DueDelivery) Payload() []byte {
	return encodePayload(d.EventID, d.EventType, d.OccurredAt, d.Sequence, d.Data)
}

// encodePayload returns an event as it is sent to one endpoint, with the data as package event
// encoded it for the outbox. It is the same text each time, so that a repeated attempt has the
// same body.
func encodePayload(id uuid.UUID, kind event.Kind, at time.Time, sequence int64, data []byte) []byte {
	body := make([]byte, 0, envelopeSize+len(data))
	body = append(body, `{"id":"`...)
	body = append(body, event.ID(id)...)
	body = append(body, `","type":"`...)
	body = append(body, kind...)
	body = append(body, `","timestamp":"`...)
	body = at.UTC().AppendFormat(body, "2006-01-02T15:04:05.000000Z")
	body = append(body, `","sequence":`...)
	body = strconv.AppendInt(body, sequence, 10)
	body = append(body, `,"data":`...)
	body = append(body, data...)
	return append(body, '}')
}
