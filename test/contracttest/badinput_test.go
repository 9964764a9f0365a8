package contracttest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// result returns the result of a case.
func result(t testing.TB, r *contracttest.Report, id string) *contracttest.Result {
	t.Helper()
	for i := range r.Results {
		if r.Results[i].ID == id {
			return &r.Results[i]
		}
	}
	t.Fatalf("the report has no case %s", id)
	return nil
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	o := (&platform{}).options("https://" + address)
	r := check(t, o)
	if r.Verdict != contracttest.Untested || !strings.Contains(r.Untested, "refused") || len(r.Failures()) > 0 {
		t.Errorf("verdict %s, untested %q, failures %v", r.Verdict, r.Untested, r.Failures())
	}
	for _, v := range r.Verdicts {
		if v != contracttest.Untested {
			t.Errorf("verdicts %v", r.Verdicts)
		}
	}
}

// options returns options with short times for an address.
func (p *platform) options(url string) contracttest.Options {
	return contracttest.Options{
		URL: url, Key: "test-key",
		Timing: contracttest.Timing{
			Interval: -1, Attempt: 5 * time.Second, Backoff: time.Millisecond, MaxWait: time.Millisecond,
			Sustained: 20 * time.Millisecond, SustainedRate: 500, Watch: 20 * time.Millisecond, Total: time.Minute,
		},
	}
}

// A certificate that no trusted authority has signed is a violation, and the key is never sent.
func TestSelfSignedCertificate(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	r := check(t, (&platform{}).options(server.URL))
	if got := r.Failures(); !slices.Equal(got, []string{"live.health", "transport.tls"}) || requests.Load() != 0 {
		t.Errorf("failures %v, %d requests", got, requests.Load())
	}
	for _, id := range []string{"live.health", "transport.tls"} {
		if got := result(t, r, id); !strings.Contains(got.Message, "not trusted") || !strings.Contains(got.Fix, "full chain") {
			t.Errorf("%s: %q, %q", id, got.Message, got.Fix)
		}
	}
}

// The hint for a handshake that failed fits the reason.
func TestHintsForTLS(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*tls.Config{
		"TLS 1.1":            {MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
		"client certificate": {ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12},
	} {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = config
		server.StartTLS()
		o := (&platform{}).options(server.URL)
		o.RootCAs = x509.NewCertPool()
		o.RootCAs.AddCert(server.Certificate())
		r := check(t, o)
		for _, id := range []string{"live.health", "transport.tls"} {
			if got := result(t, r, id); got.Status != contracttest.Failed || !strings.Contains(got.Fix, "without a client certificate") {
				t.Errorf("%s, %s: %q, %q", name, id, got.Message, got.Fix)
			}
		}
		server.Close()
	}
}

// If something other than the platform answers, the report names it and suggests a fix.
func TestSomethingElseAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ fault, message, fix string }{
		{"redirect,value=https://elsewhere.example/login", "302 instead of 200, a redirect to https://elsewhere.example/login", "Redirects are not followed"},
		{"redirect,value=/health/", "302 instead of 200, a redirect to /health/", "without a slash at its end"},
		{"html-200", "HTML or XML instead of JSON", "Check the base URL"},
		{"status-403", "the key was refused", "allowlist"},
		{"hang", "within 400ms", "a query without an index"},
	} {
		_, o := faulty(t, tt.fault, contracttest.LiveCheck)
		if got := result(t, check(t, o), "live.health"); !strings.Contains(got.Message, tt.message) || !strings.Contains(got.Fix, tt.fix) {
			t.Errorf("%s: %q, %q", tt.fault, got.Message, got.Fix)
		}
	}
}

// TestKeyIsHidden: a platform that sends the key back does not get it into the report, and a short
// key, which is a letter or word of other things too, leaves them readable.
func TestKeyIsHidden(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, body, want string }{
		{"s3cr3t/key", `{"status": "no", "s3cr3t/key": "as3cr3t\/keyb s3cr3t/key"}`, `{"status": "no", "<API_KEY>": "a<API_KEY>b <API_KEY>"}`},
		{"k", `{"status": "broken", "k": 1, "k" : "k", "token":"k"}`, `{"status": "broken", "k": 1, "k" : "<API_KEY>", "token":"<API_KEY>"}`},
		{"key", `{"status": "the key key", "key": "Bearer key", "url": "/?key=key&k=1"}`, `{"status": "the key key", "key": "Bearer <API_KEY>", "url": "/?key=<API_KEY>&k=1"}`},
		{"k", `k`, `<API_KEY>`},
		{"live_0123456789", `{"status": "` + strings.Repeat("x", 2026) + `live_0123456789"}`, `{"status": "` + strings.Repeat("x", 2026)}, // cut off in the key
	} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, tt.body) }))
		o := (&platform{}).options(server.URL)
		o.Key, o.Profile, o.RootCAs = tt.key, contracttest.LiveCheck, x509.NewCertPool()
		o.RootCAs.AddCert(server.Certificate())
		if got := check(t, o).Exchanges[0].Body; got != tt.want {
			t.Errorf("with the key %s the report shows\n%s\nwant\n%s", tt.key, got, tt.want)
		}
		server.Close()
	}
}

// A body that is missing or whose compression is damaged is called so, and not JSON that ends too early.
func TestUnreadableBodies(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, `{"status":"ok"}`)
	_ = z.Close()
	for _, tt := range []struct{ encoding, body, want string }{
		{"", "", "the body is empty"},
		{"gzip", "", "the gzip encoding is damaged or ends too early"},
		{"gzip", `{"status":"ok"}`, "the gzip encoding is damaged or ends too early"},
		{"gzip", packed.String()[:packed.Len()-6], "the gzip encoding is damaged or ends too early"},
	} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", tt.encoding)
			_, _ = io.WriteString(w, tt.body)
		}))
		o := (&platform{}).options(server.URL)
		o.Profile, o.RootCAs = contracttest.LiveCheck, x509.NewCertPool()
		o.RootCAs.AddCert(server.Certificate())
		if got := result(t, check(t, o), "live.health").Message; got != tt.want {
			t.Errorf("%q with %d bytes: %s, want %s", tt.encoding, len(tt.body), got, tt.want)
		}
		server.Close()
	}
}

// Pages of thousands, regardless of the limit, break the limit's rule and no other: records
// beyond what is remembered are not reported as missing.
func TestLimitIsIgnored(t *testing.T) {
	t.Parallel()
	server, err := reference.Start(reference.Options{
		Firm: firm.Options{Seed: 7, Start: wednesday, Traders: 1100, AccountsPerTrader: 1, Trades: 1500, Payouts: 1100},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	if err := server.SetFault("ignores-limit", fault.Options{Size: 100_000}); err != nil {
		t.Fatal(err)
	}
	p := &platform{server, server.Now()}
	o := p.quick(contracttest.Core)
	o.Timing.SustainedRate, o.Timing.Slow = 50, time.Minute
	got := check(t, o).Failures()
	slices.Sort(got)
	if want := expand("*.limit *.default-limit"); !slices.Equal(got, want) {
		t.Errorf("failures %v, want %v", got, want)
	}
}

// A platform that hangs now and then is asked a second and a third time the first time it hangs,
// and not after that. It takes long because each request that hangs does so for two seconds.
func TestHangsHereAndThere(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a platform that hangs")
	}
	t.Parallel()
	_, o := faulty(t, "hang,endpoint=/trades", contracttest.Core)
	o.Timing.Attempt = 2 * time.Second // no other request takes as long, even on a busy machine
	last, hung := "", 0
	for _, x := range check(t, o).Exchanges {
		if x.Status != 0 {
			continue
		}
		if x.URL+x.Key != last {
			hung++
		}
		last = x.URL + x.Key
		if x.Attempt > 1 && hung > 2 {
			t.Errorf("request %d is attempt %d", x.Number, x.Attempt)
		}
	}
	if hung < 3 {
		t.Errorf("%d requests hang, want more", hung)
	}
}

// Platforms choose the form of ids.
func TestUnusualIDs(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	old := wednesday.AddDate(-15, 0, 0) // first in every list
	for i, id := range []string{"ünï çødé/1 & 2?#%25", "../health", "日本語", strings.Repeat("x", 500), "900719925474099312345"} {
		at := old.Add(time.Duration(i) * time.Second)
		p.PutTrader(reference.Trader{ID: id, UpdatedAt: at})
		p.PutAccount(reference.Account{ID: id, TraderID: id, UpdatedAt: at})
		p.PutTrade(reference.Trade{ID: id, AccountID: id, Symbol: "EURUSD", Side: "buy", OpenTime: at.Add(-time.Hour), UpdatedAt: at, CloseTime: at, OpenPrice: wire.NewDecimal(11, 1), ClosePrice: wire.NewDecimal(12, 1)})
		p.PutPayout(reference.Payout{ID: id, TraderID: id, AccountID: id, Status: "pending", UpdatedAt: at})
	}
	r := check(t, p.quick(contracttest.Core))
	if got := r.Failures(); len(got) > 0 || r.Verdict != contracttest.Conformant {
		t.Errorf("verdict %s, failures %v", r.Verdict, got)
	}
	if m := result(t, r, "trader.by-id").Message; !strings.Contains(m, "ünï çødé/1") {
		t.Errorf("asked for %s", m)
	}
}

// Accounts and payouts of two traders with one id, as when numbers are rounded, are seen although
// they lack the optional times.
func TestReusedIDsOfTwoTraders(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	for i, trader := range []string{"tie_90000000", "tie_90000001"} {
		at := wednesday.AddDate(-15, 0, i) // first in every list
		for list, status := range map[reference.Resource]string{"accounts": "active", "payouts": "pending"} {
			p.PutRaw(list, fmt.Sprint("twin", i), at, fmt.Sprintf(`{"id":"10000000000000000","trader_id":%q,"status":%q,"updated_at":%q}`, trader, status, at.Format(time.RFC3339)))
		}
	}
	broken(t, check(t, p.quick(contracttest.Core)), "accounts.unique payouts.unique")
}

// An answer that no client reads is described as what it is.
func TestAnswersThatAreNoHTTP(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	for said, head := range map[string]string{
		"the answer's header is larger than 64 KiB": "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Filler: 0123456789abcdef\r\n", 5000),
		"the answer is not valid HTTP":              "220 mail.example ESMTP\r\n",
	} {
		r := check(t, p.behind(t, contracttest.LiveCheck, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, head+"\r\n") // the client may have had enough
		}))
		if got := result(t, r, "live.health"); !strings.Contains(got.Message, said) {
			t.Errorf("%q, want %q", got.Message, said)
		}
	}
}

// White space around ids is removed, so that two ids may become one.
func TestIDsWithSpaces(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	at := wednesday.AddDate(-15, 0, 0) // first in the list
	p.PutTrader(reference.Trader{ID: "7 ", UpdatedAt: at})
	r := check(t, p.quick(contracttest.Core))
	if got := result(t, r, "traders.id-types"); got.Status != contracttest.Warned || !strings.Contains(got.Message, `id has white space around it, which is removed: "7 "`) {
		t.Errorf("%s: %s", got.Status, got.Message)
	}
}

// A close time that cannot be read costs the trade, which would otherwise look open.
func TestUnreadableCloseTime(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	at := wednesday.AddDate(-15, 0, 0) // first in the list
	p.PutRaw("trades", "T", at, `{"id":"T","account_id":"A","symbol":"EURUSD","side":"buy","open_time":"`+at.Add(-time.Hour).Format(time.RFC3339)+
		`","updated_at":"`+at.Format(time.RFC3339)+`","close_time":1741082400,"close_price":1.1}`)
	r := check(t, p.quick(contracttest.Core))
	if got := result(t, r, "trades.required"); got.Status != contracttest.Failed || !strings.Contains(got.Message, "close_time") {
		t.Errorf("%s: %s", got.Status, got.Message)
	}
}

// Selected cases give the same results as in a full check.
func TestOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault, only string
		want        contracttest.Status
		verdict     contracttest.Verdict
	}{
		{"half-closed,after=6", "trades.closed", contracttest.Failed, contracttest.Violations}, // not on the first page
		{"closes-renamed", "trades.closing", contracttest.Failed, contracttest.Violations},
		{"status-500,endpoint=/trades,times=1", "load.first-try", contracttest.Warned, contracttest.Conformant},
		{"expired-cursor", "trades.ties", contracttest.Skipped, contracttest.Untested}, // trades.advance, on which it depends, is not in the report
		{"chunked", "accounts.order", contracttest.Passed, contracttest.Conformant},
	} {
		_, o := faulty(t, tt.fault, contracttest.Core)
		o.Only = []string{tt.only}
		r := check(t, o)
		if len(r.Results) != 1 || r.Results[0].ID != tt.only || r.Results[0].Status != tt.want || r.Verdict != tt.verdict {
			t.Errorf("%s of %s: verdict %s, %d results, the first %s %s", tt.only, tt.fault, r.Verdict, len(r.Results), r.Results[0].Status, r.Results[0].Message)
		}
	}
}

func TestAccountFilter(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	r := check(t, p.quick(contracttest.Core))
	if got := result(t, r, "info.account-id"); got.Status != contracttest.Noted || got.Message != "account_id filters" {
		t.Errorf("%s: %s", got.Status, got.Message)
	}
	if r.Requests-r.Load.Requests > 100 {
		t.Errorf("%d requests beside the sustained rate", r.Requests-r.Load.Requests)
	}
}

func TestPlainPort(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	r := check(t, (&platform{}).options("https"+strings.TrimPrefix(server.URL, "http")))
	if got := r.Failures(); !slices.Equal(got, []string{"live.health", "transport.tls"}) {
		t.Errorf("failures %v", got)
	}
}

// Old protocols are reported, and so is a port that also answers without TLS.
func TestOldProtocols(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	server := httptest.NewUnstartedServer(p.Platform)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS10}
	server.StartTLS()
	defer server.Close()
	o := p.quick(contracttest.Core)
	o.URL, o.RootCAs, o.Only = server.URL, server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, []string{"transport.tls", "transport.tls-version"}
	if got := check(t, o).Failures(); !slices.Equal(got, []string{"transport.tls-version"}) {
		t.Errorf("failures %v", got)
	}
}

func TestAnswersWithoutTLS(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	both := listenBoth(t, p)
	o := p.quick(contracttest.Core)
	o.URL, o.Only = "https://"+both, []string{"transport.tls", "transport.https-only"}
	if got := check(t, o).Failures(); !slices.Equal(got, []string{"transport.https-only"}) {
		t.Errorf("failures %v", got)
	}
}

// listenBoth serves a platform's TLS and plain HTTP 200s on one port.
func listenBoth(t *testing.T, p *platform) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go split(conn, strings.TrimPrefix(p.URL, "https://"))
		}
	}()
	return listener.Addr().String()
}

// split passes a connection on unless it begins with plain HTTP.
func split(conn net.Conn, to string) {
	defer conn.Close()
	head := make([]byte, 1)
	if _, err := conn.Read(head); err != nil {
		return
	}
	if head[0] == 'G' {
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		return
	}
	up, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer up.Close()
	_, _ = up.Write(head)
	done := make(chan struct{}, 2)
	pipe := func(to, from net.Conn) {
		buf := make([]byte, 32<<10)
		for {
			n, err := from.Read(buf)
			if n > 0 {
				_, _ = to.Write(buf[:n])
			}
			if err != nil {
				done <- struct{}{}
				return
			}
		}
	}
	go pipe(up, conn)
	go pipe(conn, up)
	<-done
}

func TestSlowAnswers(t *testing.T) {
	t.Parallel()
	_, o := faulty(t, "slow,delay=30ms,endpoint=/payouts", contracttest.Core)
	o.Timing.Slow = 10 * time.Millisecond
	r := check(t, o)
	if got := result(t, r, "load.latency"); got.Status != contracttest.Warned || r.Verdict != contracttest.Conformant {
		t.Errorf("%s: %s, verdict %s", got.Status, got.Message, r.Verdict)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	ok := (&platform{}).options("https://platform.example/api")
	for name, change := range map[string]func(o *contracttest.Options){
		"no address": func(o *contracttest.Options) { o.URL = "" },
		"plain http": func(o *contracttest.Options) { o.URL = "http://platform.example" },
		"slash":      func(o *contracttest.Options) { o.URL += "/" },
		"user":       func(o *contracttest.Options) { o.URL = "https://me:pw@platform.example" },
		"query":      func(o *contracttest.Options) { o.URL += "?a=b" },
		"no key":     func(o *contracttest.Options) { o.Key = " " },
		"profile":    func(o *contracttest.Options) { o.Profile = "all" },
		"case":       func(o *contracttest.Options) { o.Only = []string{"traders.nonsense"} },
		"waived live check": func(o *contracttest.Options) {
			o.Waivers = []contracttest.Waiver{{Case: "live.health", Reason: "x", Expires: "2030-01-01"}}
		},
		"waiver, no reason": func(o *contracttest.Options) {
			o.Waivers = []contracttest.Waiver{{Case: "trades.order", Expires: "2030-01-01"}}
		},
		"waiver for ever": func(o *contracttest.Options) { o.Waivers = []contracttest.Waiver{{Case: "trades.order", Reason: "x"}} },
		"waiver of nothing": func(o *contracttest.Options) {
			o.Waivers = []contracttest.Waiver{{Case: "nothing", Reason: "x", Expires: "2030-01-01"}}
		},
	} {
		o := ok
		change(&o)
		var usage *contracttest.UsageError
		if _, err := contracttest.Check(t.Context(), o); !errors.As(err, &usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWaivers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		expires string
		status  contracttest.Status
		verdict contracttest.Verdict
	}{
		{"2026-03-04", contracttest.Waived, contracttest.Conformant}, // the day of the check is included
		{"2026-03-03", contracttest.Failed, contracttest.Violations},
	} {
		_, o := faulty(t, "half-closed", contracttest.Core)
		o.Waivers = []contracttest.Waiver{{Case: "trades.closed", Reason: "prices follow in spring", Expires: tt.expires}}
		r := check(t, o)
		got := result(t, r, "trades.closed")
		if got.Status != tt.status || r.Verdict != tt.verdict || got.Expired != (tt.status == contracttest.Failed) || got.Waiver == nil {
			t.Errorf("until %s: %s, verdict %s", tt.expires, got.Status, r.Verdict)
		}
	}
}

// A check that lacks the time or the requests reports that, and never reports success.
func TestCheckThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	few := p.quick(contracttest.Core)
	few.MaxRequests = 20
	r := check(t, few)
	if r.Verdict != contracttest.Untested || r.Verdicts[contracttest.LiveCheck] != contracttest.Conformant || len(r.Failures()) > 0 {
		t.Errorf("verdicts %v, failures %v", r.Verdicts, r.Failures())
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := p.quick(contracttest.Core)
	o.Progress = func(at contracttest.Progress) {
		if at.Case == "trades.order" {
			cancel()
		}
	}
	r, err := contracttest.Check(ctx, o)
	if err != nil || r.Verdict != contracttest.Untested || len(r.Failures()) > 0 {
		t.Errorf("%v, verdict %s, failures %v", err, r.Verdict, r.Failures())
	}
}
