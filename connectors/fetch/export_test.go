package fetch

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/assayhq/assay/store/seal"
)

// RetryAfter, Allowed, Control and Backoff show internals to the tests.
func RetryAfter(h http.Header) time.Duration { return retryAfter(h) }

// Redact removes the key from a text.
func Redact(key, text string) string { return redactKey(seal.NewSecret(key), text) }

func Backoff(retry int) time.Duration { return backoffWait(time.Second, retry) }

func (g *Guard) Allowed(a netip.Addr) bool { return g.isAllowed(a) }

func (g *Guard) Control(address string) error { return g.checkSocket("tcp", address, nil) }

// SetDial replaces the socket layer below the guard.
func (c *Client) SetDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.guard.dial = dial
}

// SetIdleBudgets sets how many idle budgets are kept, and Budgets counts all
// budgets.
func (c *Client) SetIdleBudgets(n int) { c.budgets.limit = n }

func (c *Client) Budgets() int {
	c.budgets.mu.Lock()
	defer c.budgets.mu.Unlock()
	return len(c.budgets.byID)
}

// LargeHeld reports whether the large-body token is held.
func (c *Client) LargeHeld() bool { return len(c.bodies.large) > 0 }

// Sizes and limits that the tests use.
const (
	SmallBody    = smallBody
	MaxBody      = maxBody
	AttemptLimit = attemptLimit
	MaxAttempts  = maxAttempts
	DialStagger  = dialStagger
	MaxAddresses = maxAddresses
	UserAgent    = userAgent
)
