package auth

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"strings"
	"time"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// Attempt is an attempt to sign in to an account, which need not exist.
type Attempt struct {
	store   *store.DB
	budgets []access.SignInBudget
}

// BeginAttempt counts a client's attempt to sign in with the address. device identifies a browser
// in which the only person whose password is tried has signed in before, or the session of that
// person. It is empty if there is neither. The error is a 429 problem if there were too many
// attempts from the device or, without one, for the account or from the client.
func (a *Authenticator) BeginAttempt(ctx context.Context, email string, client netip.Addr, device string) (*Attempt, error) {
	budgets := strangerBudgets(strings.ToLower(email), client)
	if device != "" {
		budgets = deviceBudgets(device)
	}
	return a.spendBudgets(ctx, budgets)
}

// BeginVisit counts a client's attempt to return from the OpenID Connect provider, because each
// attempt causes a request to the provider. The error is a 429 problem if too many attempts have
// failed.
func (a *Authenticator) BeginVisit(ctx context.Context, client netip.Addr) (*Attempt, error) {
	return a.spendBudgets(ctx, clientBudgets(client))
}

func (a *Authenticator) spendBudgets(ctx context.Context, budgets []access.SignInBudget) (*Attempt, error) {
	wait, err := access.SpendSignIn(ctx, a.store, budgets...)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		a.limited.Inc()
		return nil, AskToWait("Too many attempts to sign in with this email, or from your IP address. Try again after the time in the Retry-After header.", wait)
	}
	return &Attempt{a.store, budgets}, nil
}

// Succeed removes the attempt from the count, because it was no wrong one. If that fails, the
// attempt stays counted, which does little harm.
func (a *Attempt) Succeed(ctx context.Context) { _ = access.RefundSignIn(ctx, a.store, a.budgets...) }

// The budgets limit how many attempts may be made at once, and after which time another one is
// allowed. No time is longer than a minute, the longest that callers are asked to wait.

// strangerBudgets apply to an attempt from anywhere: by account and client together, so that one
// client cannot use up an account's attempts, by account, and by client. IPv6 clients are
// networks of two sizes: providers assign a /64 to each subscriber, and a /48 to anybody who asks
// for one.
func strangerBudgets(account string, client netip.Addr) []access.SignInBudget {
	subscriber := clientOf(client).String()
	budgets := []access.SignInBudget{
		{Subject: budgetSubject("pair", subscriber, account), Burst: 10, Gap: time.Minute},
		{Subject: budgetSubject("account", account), Burst: 100, Gap: 30 * time.Second},
	}
	return append(budgets, clientBudgets(client)...)
}

func clientBudgets(client netip.Addr) []access.SignInBudget {
	budgets := []access.SignInBudget{{Subject: budgetSubject("client", clientOf(client).String()), Burst: 100, Gap: 5 * time.Second}}
	if client = client.Unmap().WithZone(""); client.Is6() {
		site, _ := client.Prefix(48) // never fails for an IPv6 address
		budgets = append(budgets, access.SignInBudget{Subject: budgetSubject("site", site.String()), Burst: 300, Gap: 2 * time.Second})
	}
	return budgets
}

// deviceBudgets apply to an attempt from a browser in which the person has signed in before. Nobody
// else can use them up and so lock out the person.
func deviceBudgets(device string) []access.SignInBudget {
	return []access.SignInBudget{{Subject: budgetSubject("device", device), Burst: 10, Gap: time.Minute}}
}

func budgetSubject(parts ...string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(parts, "\x00")))
}
