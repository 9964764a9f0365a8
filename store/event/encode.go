package event

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

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
