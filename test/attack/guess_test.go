package attack_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/test/deploytest"
)

// guesser sends requests as clients of many addresses.
type guesser struct {
	s      *site
	client *http.Client
}

// guessFrom returns a guesser whose connections come from an address of this machine.
func (s *site) guessFrom(t *testing.T, address string) *guesser {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 32}
	t.Cleanup(transport.CloseIdleConnections)
	return &guesser{s, &http.Client{Transport: transport}}
}

// client is the address that client n claims to have.
func clientAddress(n int) string { return fmt.Sprintf("198.%d.%d.%d", 18+n>>16, n>>8&255, n&255) }

// guess sends a request as the client with the number, and returns the status.
func (g *guesser) guess(ctx context.Context, n int, method, path, body string, header ...string) int {
	req, err := http.NewRequestWithContext(ctx, method, g.s.URL+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("X-Forwarded-For", clientAddress(n))
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := g.client.Do(req)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// many makes so many guesses, some at a time, and counts the statuses.
func many(size int, guess func(n int) int) map[int]int {
	statuses := make(map[int]int)
	var mu sync.Mutex
	var group sync.WaitGroup
	const atATime = 16
	for worker := range atATime {
		group.Go(func() {
			for n := worker; n < size; n += atATime {
				status := guess(n)
				mu.Lock()
				statuses[status]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return statuses
}

// What one client may try within a minute, and clients together with an account at once.
const (
	keysOfClient     = 300
	linksOfClient    = 20
	signInsOfClient  = 10 // with the same account
	signInsOfAccount = 100
)

// hashPeak is peakLimit where passwords are compared: two at a time, of 64 MiB each, and
// as much again twice until the memory is collected.
const hashPeak = peakLimit + 384<<20

// attackGuessing guesses keys, links and a password. Clients of a trusted proxy have the addresses
// that the proxy forwards. Clients of anybody else count as one, whatever addresses they claim.
func attackGuessing(t *testing.T, s *site, size int) string {
	t.Helper()
	proxied, direct := s.guessFrom(t, "127.0.0.1"), s.guessFrom(t, "127.0.0.2")
	cookie := s.signIn(t, "")
	others := s.startTraffic(t, ordinaryGap)
	wrongKey := func(g *guesser) func(int) int {
		return func(n int) int {
			return g.guess(t.Context(), n, http.MethodGet, "/v1/traders", "", "Authorization", "Bearer "+auth.NewKey().Secret().Reveal())
		}
	}
	wrongLink := func(g *guesser) func(int) int {
		return func(n int) int { return g.guess(t.Context(), n, http.MethodGet, "/i/"+rand.Text()+rand.Text(), "") }
	}
	expect(t, "keys", many(size, wrongKey(proxied)), http.StatusUnauthorized, size)
	expect(t, "keys of one client", many(keysOfClient+100, wrongKey(direct)), http.StatusUnauthorized, keysOfClient)
	expect(t, "links", many(size, wrongLink(proxied)), http.StatusNotFound, size)
	expect(t, "links of one client", many(linksOfClient+100, wrongLink(direct)), http.StatusNotFound, linksOfClient)
	passwords := s.guessPasswords(t, direct, signInsOfClient+20, signInsOfClient)
	if s.full {
		passwords = s.guessPasswords(t, proxied, size/5, signInsOfAccount)
	}
	s.signIn(t, cookie) // the owner's browser is known, and gets in nevertheless
	return fmt.Sprintf("%s; %s; memory %s", passwords, others.end(t, s), s.checkPeak(t, hashPeak))
}

// guessPasswords guesses the owner's password, and checks that at most so many guesses
// are compared. A few more become due while they are made.
func (s *site) guessPasswords(t *testing.T, g *guesser, size, most int) string {
	t.Helper()
	body := fmt.Sprintf(`{"email": %q, "password": "wrong password"}`, deploytest.Owner)
	tried := many(size, func(n int) int {
		return g.guess(t.Context(), n, http.MethodPost, "/session", body, "Content-Type", "application/json")
	})
	compared := tried[http.StatusUnauthorized]
	// 503 means that too many wait for a comparison.
	if compared > most+most/10 || compared+tried[http.StatusTooManyRequests]+tried[http.StatusServiceUnavailable] != size {
		t.Errorf("%d passwords tried: %v; at most %d may be compared", size, tried, most)
	}
	return fmt.Sprintf("%d of %d passwords compared", compared, size)
}

// expect checks that so many guesses were answered and that the others were too many.
func expect(t *testing.T, what string, statuses map[int]int, wrong, compared int) {
	t.Helper()
	total := 0
	for _, n := range statuses {
		total += n
	}
	if statuses[wrong] != compared || statuses[wrong]+statuses[http.StatusTooManyRequests] != total {
		t.Errorf("%s: %v, want %d times %d and otherwise 429", what, statuses, compared, wrong)
	}
}

// signIn signs the owner in, from a browser with the cookies, and returns the cookies.
func (s *site) signIn(t *testing.T, cookies string) string {
	t.Helper()
	body := fmt.Sprintf(`{"email": %q, "password": %q}`, deploytest.Owner, s.password)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/session", strings.NewReader(body))
	check(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Cookie", cookies)
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(res.Body)
		t.Fatalf("the owner signs in: %d %s", res.StatusCode, text)
	}
	var set []string
	for _, c := range res.Cookies() {
		if c.Name != "__Host-assay_session" {
			set = append(set, c.Name+"="+c.Value)
		}
	}
	return strings.Join(set, "; ")
}
