package event

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// MaxBody is the largest size of an event as it is sent, in bytes.
const MaxBody = 64 << 10

// maxEnvelope is an upper bound of the envelope's size without the data.
const maxEnvelope = 512

// idPrefix is the prefix of event ids.
const idPrefix = "evt_"

// ID returns the id of an event in the form that receivers see.
func ID(id uuid.UUID) string { return idPrefix + hex.EncodeToString(id[:]) }

// Encode returns the data of the event as JSON. It fails if the data does not have the kind's type,
// or is too large to be sent.
func (e Event) Encode() ([]byte, error) {
	list := All()
	i := slices.IndexFunc(list, func(d Definition) bool { return d.Kind == e.Kind })
	if i < 0 {
		return nil, fmt.Errorf("event %s is not in the catalog", e.Kind)
	}
	if want, got := reflect.TypeOf(list[i].data), reflect.TypeOf(e.Data); want != got {
		return nil, fmt.Errorf("event %s has data of %s, not %s", e.Kind, want, got)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e.Data); err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Kind, err)
	}
	if text.Len() > MaxBody-maxEnvelope {
		return nil, fmt.Errorf("event %s has %d bytes of data", e.Kind, text.Len())
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// Body returns an event as it is sent to one endpoint. It is the same text each time, so that a
// repeated attempt has the same body.
func Body(id uuid.UUID, kind Kind, at time.Time, sequence int64, data []byte) []byte {
	body := make([]byte, 0, maxEnvelope+len(data))
	body = append(body, `{"id":"`...)
	body = append(body, ID(id)...)
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
