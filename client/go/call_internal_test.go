package assay

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Numbers of a platform are kept as they are, whatever their size.
func TestNumbersStayExact(t *testing.T) {
	t.Parallel()
	const metadata = `{"digits":0.1000000000000000055511151231257827,"huge":1e400,"id":12345678901234567890,"zeros":100.00}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"metadata":` + metadata + `}`))
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	trader, err := c.GetTrader(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(trader.Metadata); err != nil || string(text) != metadata {
		t.Errorf("the metadata is %s (%v), want %s", text, err, metadata)
	}
}
