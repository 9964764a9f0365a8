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

// MaxBody is the most that an event may take as it is sent, in bytes.
const MaxBody = 64 << 10

// maxEnvelope is more than the envelope takes around the data.
const maxEnvelope = 512

// idPrefix begins the ids of events.
const idPrefix = "evt_"

// ID is the id of an event as receivers see it.
func ID(id uuid.UUID) string { return idPrefix + hex.EncodeToString(id[:]) }

// Encode gives the data of the event as JSON. It fails when the data is not of
// the kind, or larger than what is sent may be.
func (e Event) Encode() ([]byte, error) {
	list := All()
	i := slices.IndexFunc(list, func(d Definition) bool { return d.Kind == e.Kind })
	if i < 0 {
		return nil, fmt.Errorf("event %s is not in the catalogue", e.Kind)
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

// Body is an event as it is sent to one endpoint. It is the same text each time,
// so that an attempt that is made again has the same body.
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
