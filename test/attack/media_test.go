package attack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/test/deploytest"
)

// addressAlphabet are the characters of addresses.
const addressAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

// attackAddresses changes the signed address of a recording in each of its parts.
func attackAddresses(t *testing.T, s *site, size int) string {
	t.Helper()
	address := s.playable(t)
	if status, _ := deploytest.Get(t.Context(), address, ""); status != http.StatusOK {
		t.Fatalf("the address itself: %d", status)
	}
	begin := strings.Index(address, "/media/v1/") + len("/media/v1/")
	signed, file := address[begin:strings.LastIndexByte(address, '/')], address[strings.LastIndexByte(address, '/'):]
	statuses := make(map[int]int)
	for range size {
		changed := s.change(signed)
		if changed == signed {
			continue
		}
		status, _ := deploytest.Get(t.Context(), address[:begin]+changed+file, "")
		if statuses[status]++; status < 400 || status >= 500 {
			t.Errorf("%s instead of %s: %d", changed, signed, status)
		}
	}
	if status, _ := deploytest.Get(t.Context(), address, ""); status != http.StatusOK {
		t.Errorf("the address itself afterwards: %d", status)
	}
	return fmt.Sprintf("statuses of changed addresses: %v", statuses)
}

// change changes an address a little.
func (s *site) change(text string) string {
	at := s.IntN(len(text))
	other := string(addressAlphabet[s.IntN(len(addressAlphabet))])
	switch s.IntN(6) {
	case 0: // a character is left out
		return text[:at] + text[at+1:]
	case 1: // one is added
		return text[:at] + other + text[at:]
	case 2: // the end is cut off
		return text[:at]
	case 3: // two change places
		to := s.IntN(len(text))
		b := []byte(text)
		b[at], b[to] = b[to], b[at]
		return string(b)
	case 4: // capitals
		return text[:at] + strings.ToUpper(text[at:])
	}
	return text[:at] + other + text[at+1:]
}

// organization returns the deployment's organization.
func (s *site) organization(t *testing.T) (id uuid.UUID) {
	t.Helper()
	check(t, s.conn.QueryRow(t.Context(), `SELECT id FROM organizations`).Scan(&id))
	return id
}

// playable returns the address of a recording, as the API signs it.
func (s *site) playable(t *testing.T) string {
	t.Helper()
	made := storetest.Completed(t, storetest.Open(t, s.Database), s.organization(t), storetest.NewInterview("Ada", "ada@example.com"), "phrase")
	blobs, err := blob.Open(t.Context(), s.BlobURL())
	check(t, err)
	defer func() { _ = blobs.Close() }()
	_, err = blobs.Put(context.WithoutCancel(t.Context()), interviews.MediaPrefix(made.ID, 1)+"index.m3u8", strings.NewReader("#EXTM3U\n"))
	check(t, err)
	answer := s.Call(t, http.MethodPost, "/v1/interviews/"+made.ID.String()+"/playback", "", http.StatusOK)
	address := answer["sources"].([]any)[0].(map[string]any)["url"].(string)
	_, err = url.Parse(address)
	check(t, err)
	return address
}
