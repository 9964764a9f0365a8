package assay

import (
	"mime"
	"strings"
	"testing"
)

// An upload that is sent again has the same parts in the same order, by which the server recognizes it.
func TestUploadIsTheSameAgain(t *testing.T) {
	t.Parallel()
	encode := func() string {
		contentType, body, err := Upload{
			File: strings.NewReader("Ticket"), AccountLogin: "7001", Currency: "USD", DateOrder: "dmy", Decimal: ",",
			InitialBalance: "50000", Platform: "mt5", Timezone: "Europe/Prague",
		}.encode()
		if err != nil {
			t.Fatal(err)
		}
		_, params, err := mime.ParseMediaType(contentType)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(body), params["boundary"], "")
	}
	first := encode()
	if !strings.Contains(first, `filename="statement"`) {
		t.Errorf("a file without a name is not sent as one:\n%s", first)
	}
	for range 8 {
		if again := encode(); again != first {
			t.Fatalf("sent again:\n%s\nfirst:\n%s", again, first)
		}
	}
}
