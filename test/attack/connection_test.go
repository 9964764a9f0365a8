package attack_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// How long apiserver may take to end slow requests, and how much later the test gives up.
const (
	slowHeader  = 5 * time.Second
	slowBody    = 30 * time.Second
	slowPatient = 15 * time.Second
)

// dripGap is the pause after each byte.
const dripGap = 500 * time.Millisecond

// attackSlowly sends requests a byte at a time: half of them drip their header, the
// others the body of a request that is valid so far.
func attackSlowly(t *testing.T, s *site, size int) string {
	t.Helper()
	others := s.startTraffic(t, ordinaryGap)
	var group sync.WaitGroup
	var mu sync.Mutex
	worst := make(map[bool]time.Duration) // by whether the header drips
	for n := range size {
		conn, header := s.dial(t), n%2 == 0
		beginning, limit := "GET /v1/traders HTTP/1.1\r\nHost: assay\r\nX-Slow: ", slowHeader
		if !header {
			beginning = fmt.Sprintf("POST /v1/traders HTTP/1.1\r\nHost: assay\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{", s.keys[n%len(s.keys)])
			limit = slowBody
		}
		group.Go(func() {
			took, ended := drip(conn, beginning, limit+slowPatient)
			mu.Lock()
			defer mu.Unlock()
			worst[header] = max(worst[header], took)
			if !ended {
				t.Errorf("a slow request (header: %t) lasts longer than %s", header, took)
			}
		})
	}
	group.Wait()
	return fmt.Sprintf("headers cut off after %s, bodies after %s; %s", worst[true].Round(time.Second), worst[false].Round(time.Second), others.end(t, s))
}

// drip writes a space at a time until the server ends the connection.
func drip(conn net.Conn, beginning string, patience time.Duration) (took time.Duration, ended bool) {
	began := time.Now()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_, _ = io.Copy(io.Discard, conn) // until the server closes, or the test does
	}()
	tick := time.NewTicker(dripGap)
	defer tick.Stop()
	for text := beginning; ; text = " " {
		_, err := io.WriteString(conn, text)
		select {
		case <-closed:
			return time.Since(began), true
		case <-tick.C:
		}
		if err != nil || time.Since(began) > patience {
			_ = conn.Close()
			<-closed
			return time.Since(began), err != nil
		}
	}
}

// streamsOfKey is how many streams a key may have open.
const streamsOfKey = 20

// attackConnections opens connections, half of which are idle while the others stream
// changes, and checks that each stream still receives them.
func attackConnections(t *testing.T, s *site, size int) string {
	t.Helper()
	var streams []*bufio.Reader
	key := ""
	for n := range size / 2 {
		if n%streamsOfKey == 0 {
			key = s.makeKey(t, fmt.Sprint("streams ", n))
		}
		streams = append(streams, s.stream(t, key))
		idle := s.dial(t)
		if n%2 == 0 { // the others have not sent anything
			askOn(t, idle, "GET /v1/openapi.json HTTP/1.1\r\nHost: assay\r\n\r\n", http.StatusOK)
		}
	}
	gap, lasts := ordinaryGap, 3*time.Second
	if s.full {
		gap, lasts = 2*time.Millisecond, 30*time.Second
	}
	others := s.startTraffic(t, gap)
	time.Sleep(lasts) // ordinary requests are measured meanwhile
	seen := others.end(t, s)
	s.Call(t, http.MethodPost, "/v1/traders", `{"full_name": "Everybody hears of this"}`, http.StatusCreated)
	for n, r := range streams {
		if !hears(r, "traders") {
			t.Fatalf("stream %d of %d did not receive the change", n, len(streams))
		}
	}
	return fmt.Sprintf("%d streams received a change; %s; memory %s", len(streams), seen, s.checkPeak(t, peakLimit))
}

// stream opens a stream of changes and waits until it has begun.
func (s *site) stream(t *testing.T, key string) *bufio.Reader {
	t.Helper()
	conn := s.dial(t)
	check(t, conn.SetDeadline(time.Now().Add(5*time.Minute)))
	r := askOn(t, conn, "GET /v1/stream HTTP/1.1\r\nHost: assay\r\nAuthorization: Bearer "+key+"\r\n\r\n", http.StatusOK)
	if !hears(r, "ready") {
		t.Fatal("a stream does not begin")
	}
	return r
}

// askOn sends a request on a connection and returns the body of the answer.
func askOn(t *testing.T, conn net.Conn, request string, want int) *bufio.Reader {
	t.Helper()
	_, err := io.WriteString(conn, request)
	check(t, err)
	res, err := http.ReadResponse(bufio.NewReaderSize(conn, 512), nil)
	check(t, err)
	if res.StatusCode != want {
		t.Fatalf("%.60q: %d, want %d", request, res.StatusCode, want)
	}
	return bufio.NewReaderSize(res.Body, 512)
}

// hears reads until a line contains the text.
func hears(r *bufio.Reader, text string) bool {
	for {
		line, err := r.ReadString('\n')
		if strings.Contains(line, text) {
			return true
		}
		if err != nil {
			return false
		}
	}
}
