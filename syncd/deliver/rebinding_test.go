package deliver_test

import (
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/fetch/fetchtest"
)

// TestRebinding: a name has a public address when the endpoint is saved, and an
// internal one when it is called.
func TestRebinding(t *testing.T) {
	t.Parallel()
	names, err := fetchtest.StartNameServer(t, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const host = "hooks.example.com"
	answer := func(address string) { names.SetAnswers(host, []netip.Addr{netip.MustParseAddr(address)}) }
	var calls atomic.Int64
	inside := tlsServer(t, nil, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b := setup(t)
	b.options.AllowCIDRs, b.options.Resolver = nil, names.Resolver()
	b.options.RootCAs.AddCert(inside.Certificate())
	url := "https://" + host + ":" + port + "/hook"

	guard := fetch.New(b.options).Guard()
	answer("127.0.0.1")
	if err := guard.CheckEndpoint(t.Context(), url); err == nil {
		t.Fatal("an address inside is saved")
	}
	answer("93.184.216.34")
	if err := guard.CheckEndpoint(t.Context(), url); err != nil {
		t.Fatalf("a public address is refused: %v", err)
	}
	e := b.endpoint(t, url)
	answer("127.0.0.1")
	before := names.CountQuestions(host)
	b.start(t)
	b.trader(t)
	a := b.delivery(t, e.ID, 1).Attempts[0]
	if a.ErrorCode == nil || *a.ErrorCode != "blocked_address" || a.HTTPStatus != nil {
		t.Errorf("attempt %+v", a)
	}
	if calls.Load() > 0 || names.CountQuestions(host) == before {
		t.Errorf("%d calls inside, %d questions asked when it was called", calls.Load(), names.CountQuestions(host)-before)
	}
}
