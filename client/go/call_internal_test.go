package assay

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
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

// A newer server sends members, values, refusals and events that the client does not know. What it knows is read as
// before, and the rest is there as text.
func TestNewerServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"id":"7","source":"crm","full_name":"Zoe Miller","mood":{"is":[1]},"stats":{"closed_trades":3,"streaks":[]}}`))
			return
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(`{"type":"https://assay.example.com/problems/too_moody","status":422,"code":"too_moody","detail":"Calm down.","mood":1,"errors":[{"cookie":"mood","detail":"Is bad."}]}`))
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	trader, err := c.GetTrader(t.Context(), "7")
	if err != nil || trader.Source != "crm" || *trader.FullName != "Zoe Miller" || trader.Stats.ClosedTrades != 3 {
		t.Errorf("the trader is %+v, %v", trader, err)
	}
	_, err = c.CreateTrader(t.Context(), NewTrader{FullName: "Zoe Miller"})
	if p, ok := errors.AsType[*Problem](err); !ok || p.Code != "too_moody" || !strings.Contains(err.Error(), "Calm down.") || !strings.Contains(err.Error(), "Is bad.") {
		t.Errorf("refused with %v", err)
	}
	const body = `{"id":"evt_1","type":"trader.calmed","timestamp":"2026-11-20T08:00:00Z","sequence":7,"data":{"mood":1}}`
	event, err := parseEvent([]byte(body))
	if err != nil || event.Type != "trader.calmed" || event.Sequence != 7 {
		t.Fatalf("the event is %+v, %v", event, err)
	}
	if text, err := event.Payload.MarshalJSON(); err != nil || string(text) != body {
		t.Errorf("its payload is %s, %v", text, err)
	}
}

// A redirected POST would become a GET, whose answer looks like a success.
func TestRedirectsAreRefused(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/v1/", http.RedirectHandler("/elsewhere", http.StatusMovedPermanently))
	mux.HandleFunc("/elsewhere", func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, options := range [][]Option{nil, {WithHTTPClient(server.Client())}} {
		c, err := New(server.URL, "key", options...)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.CreateTrader(t.Context(), NewTrader{FullName: "Zoe Miller"})
		if p, ok := errors.AsType[*Problem](err); !ok || p.Status != http.StatusMovedPermanently {
			t.Errorf("got %v", err)
		}
	}
}

// The page of a proxy is no success, whatever its status.
func TestPagesAreRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>Sign in</title>"))
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	_, list := c.ListTraders(t.Context(), nil)
	_, export := c.ExportTraders(t.Context(), nil)
	for _, err := range []error{list, export, c.DeleteWebhook(t.Context(), "1")} {
		if p, ok := errors.AsType[*Problem](err); !ok || p.Status != http.StatusOK || !strings.Contains(p.Detail, "Check the server's URL") {
			t.Errorf("got %v", err)
		}
	}
}

// An answer that is not the API's says whose it is.
func TestAnswersOfProxies(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		http.StatusNotFound: "Check the server's URL", http.StatusRequestEntityTooLarge: "A proxy", http.StatusServiceUnavailable: "A proxy",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(server.Close)
		c, err := New(server.URL, "key", WithRetries(0))
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.ListTraders(t.Context(), nil)
		if p, ok := errors.AsType[*Problem](err); !ok || p.Status != int32(status) || !strings.Contains(p.Detail, want) {
			t.Errorf("%d: got %v", status, err)
		}
	}
}

// A proxy would clean the path, and call the operation without the id.
func TestIDsThatWouldBeCleaned(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent %s", r.URL) }))
	t.Cleanup(server.Close)
	c, err := New(server.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", ".", ".."} {
		_, export := c.ExportTrader(t.Context(), id)
		for _, err := range []error{export, c.DeleteWebhook(t.Context(), id)} {
			if err == nil || !strings.Contains(err.Error(), "an id is empty or consists of dots") {
				t.Errorf("%q: got %v", id, err)
			}
		}
	}
}

// A connection that is lost in the middle of an answer is lost, too.
func TestAnswerThatBreaksOff(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(*Client) (string, error){
		"an operation": func(c *Client) (string, error) {
			trader, err := c.GetTrader(t.Context(), "1")
			if err != nil {
				return "", err
			}
			return trader.ID, nil
		},
		"the operation that is written by hand": func(c *Client) (string, error) {
			audit, _, err := c.RequestIntegrationAudit(t.Context(), "1")
			if err != nil {
				return "", err
			}
			return audit.ID, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if id, err := send(clientThatLosesOneAnswer(t)); err != nil || id != "1" {
				t.Errorf("got %q: %v", id, err)
			}
		})
	}
}

// clientThatLosesOneAnswer returns a client of a server whose first answer breaks off.
func clientThatLosesOneAnswer(t *testing.T) *Client {
	t.Helper()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("Authorization"); key != "Bearer key" {
			t.Errorf("the key is sent as %q", key)
		}
		const answer = `{"id":"1"}`
		w.Header().Set("Content-Length", "10")
		w.WriteHeader(http.StatusAccepted)
		if requests.Add(1) == 1 {
			_, _ = w.Write([]byte(answer[:5]))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, "key\n") // as a file has it
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWithNull(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		body any
		null []string
		want string
	}{
		{"none", TraderPatch{Country: new("DE")}, nil, `{"country":"DE"}`},
		{"members", TraderPatch{Country: new("DE")}, []string{"phone", "country"}, `{"country":null,"phone":null}`},
		{"a member of an object", RulesetChange{Name: new("ours"), DayShare: &RulesetChange_DayShare{MinDays: new(int32(10))}}, []string{"day_share.max_share_of_positive"}, `{"day_share":{"max_share_of_positive":null,"min_days":10},"name":"ours"}`},
		{"members of an object that is not sent", RulesetChange{Name: new("ours")}, []string{"lot_size.band_low", "lot_size.band_high"}, `{"lot_size":{"band_high":null,"band_low":null},"name":"ours"}`},
		{"an object and then its member", RulesetChange{Name: new("ours")}, []string{"day_share", "day_share.min_days"}, `{"day_share":null,"name":"ours"}`},
		{"a member and then its object", RulesetChange{Name: new("ours")}, []string{"day_share.min_days", "day_share"}, `{"day_share":null,"name":"ours"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			op := call{body: tc.body, header: http.Header{}}
			WithNull(tc.null...)(&op)
			if body, err := op.encode(); err != nil || string(body) != tc.want {
				t.Errorf("sends %s (%v), want %s", body, err, tc.want)
			}
		})
	}
}

// People copy the address of the API with its version, and one that leads elsewhere is refused at once.
func TestServerURL(t *testing.T) {
	t.Parallel()
	for given, base := range map[string]string{
		"https://a.example": "https://a.example", "https://a.example/": "https://a.example", "https://a.example/v1": "https://a.example",
		"https://a.example/assay/v1/": "https://a.example/assay", "https://a.example/rev1": "https://a.example/rev1",
		"a.example": "", "https://": "", "https://a.example?x=1": "", "https://a.example/#x": "",
	} {
		c, err := New(given, "svc_live_x\n")
		if (err != nil) != (base == "") || err == nil && c.base != base {
			t.Errorf("%s: %+v, %v", given, c, err)
		}
	}
	for _, key := range []string{"", " ", "a\nb", "schlüssel"} {
		if _, err := New("https://a.example", key); err == nil {
			t.Errorf("key %q is accepted", key)
		}
	}
}
