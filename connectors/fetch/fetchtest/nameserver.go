// Package fetchtest has a name server for tests of what happens when a name changes its address.
package fetchtest

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// NameServer answers queries for IPv4 addresses as the test says, and that names have no other
// addresses.
type NameServer struct {
	address string

	mu      sync.Mutex
	answers map[string][][]netip.Addr // by name, one after the other; the last one remains
	asked   map[string]int
}

// StartNameServer starts a name server at the address, such as "127.0.0.1:0", until the test ends.
func StartNameServer(t testing.TB, address string) (*NameServer, error) {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", address)
	if err != nil {
		return nil, err
	}
	n := &NameServer{address: conn.LocalAddr().String(), answers: make(map[string][][]netip.Addr), asked: make(map[string]int)}
	var served sync.WaitGroup
	served.Go(func() { n.serve(conn) })
	t.Cleanup(func() {
		_ = conn.Close()
		served.Wait()
	})
	return n, nil
}

// serve answers until the connection is closed.
func (n *NameServer) serve(conn net.PacketConn) {
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
			for _, a := range n.nextAnswer(strings.TrimSuffix(question.Name.String(), ".")) {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET}, // no resolver caches it
					Body:   &dnsmessage.AResource{A: a.As4()},
				})
			}
		}
		if answer, err := m.Pack(); err == nil {
			_, _ = conn.WriteTo(answer, from)
		}
	}
}

func (n *NameServer) nextAnswer(name string) []netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked[name]++
	list := n.answers[name]
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		n.answers[name] = list[1:]
	}
	return list[0]
}

// SetAnswers makes the answers for a name those of the list, one after the other. The last one
// remains.
func (n *NameServer) SetAnswers(name string, answers ...[]netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers[name] = answers
}

// CountQuestions returns how often a name was asked for.
func (n *NameServer) CountQuestions(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[name]
}

// Resolver returns a resolver that asks the name server.
func (n *NameServer) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", n.address)
	}}
}
