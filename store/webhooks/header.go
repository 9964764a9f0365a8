package webhooks

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// Header is a header that an endpoint's owner adds to its requests. The value is often a
// credential, so it is sealed at rest and never shown.
type Header struct {
	Name  string
	Value seal.Secret
}

// headersColumn is the column of sealed headers.
const headersColumn = "headers"

// sealHeaders returns the headers as they are stored. It returns nil if there are none.
func sealHeaders(keys store.Keyrings, orgID, id uuid.UUID, headers []Header) ([]byte, error) {
	if len(headers) == 0 {
		return nil, nil
	}
	pairs := make([][2]string, len(headers))
	for i, h := range headers {
		pairs[i] = [2]string{h.Name, h.Value.Reveal()}
	}
	plain, err := json.Marshal(pairs)
	if err != nil {
		return nil, err
	}
	return keys.Seal(plain, secretBinding(headersColumn, orgID, id))
}

// openHeaders opens what sealHeaders has returned.
func openHeaders(keys store.Keyrings, orgID, id uuid.UUID, sealed []byte) ([]Header, error) {
	if sealed == nil {
		return nil, nil
	}
	plain, err := keys.Open(sealed, secretBinding(headersColumn, orgID, id))
	if err != nil {
		return nil, fmt.Errorf("open the headers: %w", err)
	}
	var pairs [][2]string
	if err := json.Unmarshal(plain, &pairs); err != nil {
		return nil, fmt.Errorf("read the headers: %w", err)
	}
	headers := make([]Header, len(pairs))
	for i, p := range pairs {
		headers[i] = Header{Name: p[0], Value: seal.NewSecret(p[1])}
	}
	return headers, nil
}

// headerNames returns the names of the headers, which may be shown.
func headerNames(headers []Header) []string {
	names := make([]string, len(headers))
	for i, h := range headers {
		names[i] = h.Name
	}
	return names
}
