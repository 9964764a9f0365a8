package deliver_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/assayhq/assay/connectors/fetch"
)

// nameServer is a name server on this machine. It answers every query for an IPv4
// address with the address that is set.
type nameServer struct {
	address string
	answer  atomic.Pointer[netip.Addr]
	asked   atomic.Int64
}

func startNameServer(t *testing.T) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &nameServer{address: conn.LocalAddr().String()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.serve(conn)
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return n
}

// serve answers until the connection is closed.
func (n *nameServer) serve(conn net.PacketConn) {
	packet := make([]byte, 512) // the longest question over UDP
	for {
		size, from, err := conn.ReadFrom(packet)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(packet[:size]) != nil || len(m.Questions) != 1 {
			continue
		}
		question := m.Questions[0]
		m.Response, m.Additionals = true, nil
		if question.Type == dnsmessage.TypeA {
			n.asked.Add(1)
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET}, // no resolver caches it
				Body:   &dnsmessage.AResource{A: n.answer.Load().As4()},
			}}
		}
		if answer, err := m.Pack(); err == nil {
			_, _ = conn.WriteTo(answer, from)
		}
	}
}

func (n *nameServer) set(address string) {
	a := netip.MustParseAddr(address)
	n.answer.Store(&a)
}

// resolver returns a resolver that queries the name server.
func (n *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", n.address)
	}}
}

// TestRebinding: a name has a public address when the endpoint is saved, and an
// internal one when it is called.
func TestRebinding(t *testing.T) {
	t.Parallel()
	names := startNameServer(t)
	var calls atomic.Int64
	inside := tlsServer(t, nil, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b := setup(t)
	b.options.AllowCIDRs, b.options.Resolver = nil, names.resolver()
	b.options.RootCAs.AddCert(inside.Certificate())
	url := "https://hooks.example.com:" + port + "/hook"

	guard := fetch.New(b.options).Guard()
	names.set("127.0.0.1")
	if err := guard.CheckEndpoint(t.Context(), url); err == nil {
		t.Fatal("an address inside is saved")
	}
	names.set("93.184.216.34")
	if err := guard.CheckEndpoint(t.Context(), url); err != nil {
		t.Fatalf("a public address is refused: %v", err)
	}
	e := b.endpoint(t, url)
	names.set("127.0.0.1")
	before := names.asked.Load()
	b.start(t)
	b.trader(t)
	a := b.delivery(t, e.ID, 1).Attempts[0]
	if a.ErrorCode == nil || *a.ErrorCode != "blocked_address" || a.HTTPStatus != nil {
		t.Errorf("attempt %+v", a)
	}
	if calls.Load() > 0 || names.asked.Load() == before {
		t.Errorf("%d calls inside, %d questions asked when it was called", calls.Load(), names.asked.Load()-before)
	}
}
