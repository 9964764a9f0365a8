package clients_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	assay "github.com/assayhq/assay/client/go"
)

// secured is the API behind TLS, as it is run.
func secured(t *testing.T, a api) *httptest.Server {
	t.Helper()
	target, err := url.Parse(a.url)
	check(t, err)
	front := httptest.NewTLSServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
	t.Cleanup(front.Close)
	return front
}

// lossy loses the first answer to each path.
type lossy struct {
	http.RoundTripper
	lost atomic.Int32
}

func (l *lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(r)
	if err == nil && l.lost.Add(1) == 1 {
		return nil, errors.Join(errors.New("connection reset"), res.Body.Close())
	}
	return res, err
}

// TestGoClient calls the API through the published client. It takes long because it reads a platform
// first, and then all lists of it.
func TestGoClient(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	integration := a.sync(t)
	a.deliver(t)
	front := secured(t, a)
	c, err := assay.New(front.URL, a.key, assay.WithHTTPClient(front.Client()))
	check(t, err)

	t.Run("lists", func(t *testing.T) { listEverything(t, c, integration) })
	t.Run("problems", func(t *testing.T) { readProblems(t, c) })
	t.Run("changes are made once", func(t *testing.T) {
		lossy := &lossy{RoundTripper: front.Client().Transport}
		c, err := assay.New(front.URL, a.key, assay.WithHTTPClient(&http.Client{Transport: lossy}))
		check(t, err)
		_, err = c.CreateTrader(t.Context(), assay.NewTrader{FullName: "Once Only"})
		check(t, err)
		list, err := c.ListTraders(t.Context(), &assay.ListTradersParams{Search: new("once only")})
		check(t, err)
		if lossy.lost.Load() < 3 || list.Meta.Total != 1 {
			t.Errorf("%d traders after %d requests", list.Meta.Total, lossy.lost.Load())
		}
	})
	t.Run("files and conditions", func(t *testing.T) { exchangeFiles(t, c) })
	t.Run("webhooks", func(t *testing.T) { receiveWebhook(t, c) })
	t.Run("changes arrive", func(t *testing.T) { followChanges(t, c, front) })
}

func listEverything(t *testing.T, c *assay.Client, integration string) {
	seen := map[string]bool{}
	for trader, err := range c.AllTraders(t.Context(), &assay.ListTradersParams{Limit: new(int32(25))}) {
		check(t, err)
		seen[trader.ID] = true
	}
	if len(seen) != 60 {
		t.Errorf("%d traders, want 60", len(seen))
	}
	runs := 0
	for _, err := range c.AllSyncRuns(t.Context(), integration, nil) {
		check(t, err)
		runs++
	}
	if runs == 0 {
		t.Error("there are no runs")
	}
	for range c.AllTraders(t.Context(), nil) {
		break // leaving a list early is no fault
	}
}

func readProblems(t *testing.T, c *assay.Client) {
	_, err := c.CreateIntegration(t.Context(), assay.NewIntegration{Kind: "carrier_pigeon", BaseURL: "http://127.0.0.1"})
	p, ok := errors.AsType[*assay.Problem](err)
	if !ok || p.Code != "validation_failed" || p.Status != 422 || p.RequestID == "" || len(p.Errors) < 2 {
		t.Fatalf("got %v", err)
	}
	if text := err.Error(); !strings.Contains(text, "validation_failed (422, request "+p.RequestID+"): ") || !strings.Contains(text, "#/kind: ") || !strings.Contains(text, "#/base_url: ") {
		t.Errorf("the error does not say what is wrong: %s", text)
	}
	for _, err := range c.AllSyncRuns(t.Context(), "no/id", nil) {
		if p, ok := errors.AsType[*assay.Problem](err); !ok || p.Code != "not_found" {
			t.Errorf("runs of nothing: %v", err)
		}
	}
}

func exchangeFiles(t *testing.T, c *assay.Client) {
	trader, err := c.CreateTrader(t.Context(), assay.NewTrader{FullName: "Zoe Miller", Phone: new("+49 30 1")})
	check(t, err)
	const statement = "Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n" +
		"1,EURUSD,buy,0.50,2026-06-15 08:00:00,2026-06-15 08:20:00,1.07,1.08,12.50\n"
	preview, err := c.PreviewActivityFile(t.Context(), trader.ID, assay.Upload{File: strings.NewReader(statement), Name: "statement.csv"})
	check(t, err)
	if preview.Trades != 1 || len(preview.FirstTrades) != 1 || preview.FirstTrades[0].Symbol != "EURUSD" {
		t.Errorf("the preview says %+v", preview)
	}
	made, err := c.UploadActivityFile(t.Context(), trader.ID, assay.Upload{File: strings.NewReader(statement), Name: "statement.csv", Timezone: "Europe/Prague"})
	check(t, err)
	file, err := c.DownloadActivityFile(t.Context(), trader.ID, made.ID)
	check(t, err)
	defer file.Body.Close()
	text, err := io.ReadAll(file.Body)
	check(t, err)
	if string(text) != statement || file.Name != "statement.csv" {
		t.Errorf("%s: %s", file.Name, text)
	}

	var header http.Header
	_, err = c.GetTrader(t.Context(), trader.ID, assay.WithResponseHeader(&header))
	check(t, err)
	tag := header.Get("ETag")
	changed, err := c.UpdateTrader(t.Context(), trader.ID, assay.TraderPatch{Country: new("DE")}, assay.IfMatch(tag), assay.WithNull("phone"))
	check(t, err)
	if changed.Phone != nil || changed.Country == nil || *changed.Country != "DE" {
		t.Errorf("the trader has the phone %v and the country %v", changed.Phone, changed.Country)
	}
	_, err = c.UpdateTrader(t.Context(), trader.ID, assay.TraderPatch{Country: new("FR")}, assay.IfMatch(tag))
	if p, ok := errors.AsType[*assay.Problem](err); !ok || p.Code != "precondition_failed" {
		t.Errorf("a change of what is no longer so: %v", err)
	}
}

func receiveWebhook(t *testing.T, c *assay.Client) {
	m := receivePing(t, c)
	header := http.Header{}
	for name, value := range m.Headers {
		header.Set(name, value)
	}
	event, err := assay.ParseWebhook(header, []byte(m.Body), m.Secret)
	check(t, err)
	if ping, err := event.Payload.AsPingEvent(); err != nil || event.Type != "ping" || ping.Data.EndpointID == "" {
		t.Errorf("got %+v, %v", event, err)
	}
	if _, err := assay.ParseWebhook(header, []byte(m.Body+" "), m.Secret); !errors.Is(err, assay.ErrWebhookSignature) {
		t.Errorf("a forged event: %v", err)
	}
}

// receivePing returns what a new endpoint receives when it is tested.
func receivePing(t *testing.T, c *assay.Client) message {
	t.Helper()
	hook := newReceiver(t)
	endpoint, err := c.CreateWebhook(t.Context(), assay.NewWebhookEndpoint{URL: hook.server.URL, Events: []assay.EventPattern{"trader.*"}})
	check(t, err)
	_, err = c.TestWebhook(t.Context(), endpoint.ID)
	check(t, err)
	m := hook.messages()[0]
	m.Secret = *endpoint.Secret
	check(t, c.DeleteWebhook(t.Context(), endpoint.ID))
	return m
}

// followChanges loses the connection once, which the client says and mends.
func followChanges(t *testing.T, c *assay.Client, front *httptest.Server) {
	var made string
	begun := 0
	for change, err := range c.Changes(t.Context()) {
		check(t, err)
		switch {
		case change.Topic == "" && begun == 0:
			begun++
			front.CloseClientConnections()
		case change.Topic == "" && begun == 1:
			begun++
			trader, err := c.CreateTrader(t.Context(), assay.NewTrader{FullName: "Late Comer"})
			check(t, err)
			made = trader.ID
		case change.Topic == "traders" && change.ID == made:
			return
		}
	}
	t.Error("the changes ended")
}
