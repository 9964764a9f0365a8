package auth

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"strings"
	"time"

	"github.com/assayhq/assay/store"
)

// SignInStore keeps count of the attempts to sign in. *store.DB is one.
type SignInStore interface {
	// SpendSignIn takes an attempt from each of the budgets, or from none: then
	// it returns how long to wait.
	SpendSignIn(ctx context.Context, budgets ...store.SignInBudget) (wait time.Duration, err error)
	// RefundSignIn gives an attempt back to each of the budgets.
	RefundSignIn(ctx context.Context, budgets ...store.SignInBudget) error
}

// Attempt is an attempt to sign in to an account, whether it exists or not.
type Attempt struct {
	store   SignInStore
	budgets []store.SignInBudget
}

// BeginAttempt counts an attempt to sign in with the address that comes from the
// client. device stands for a browser in which the address has signed in before,
// or for the session of its person; empty: it comes from neither. The error is a
// 429 problem when there were too many of the device's or, without one, of the
// account's or the client's.
func (a *Authenticator) BeginAttempt(ctx context.Context, s SignInStore, email string, client netip.Addr, device string) (*Attempt, error) {
	budgets := strangerBudgets(strings.ToLower(email), client)
	if device != "" {
		budgets = deviceBudgets(device)
	}
	return a.spend(ctx, s, budgets)
}

// BeginVisit counts an attempt of the client to come back from the provider that
// people sign in with, which is asked about each. The error is a 429 problem when
// there were too many that failed.
func (a *Authenticator) BeginVisit(ctx context.Context, s SignInStore, client netip.Addr) (*Attempt, error) {
	return a.spend(ctx, s, clientBudgets(client))
}

func (a *Authenticator) spend(ctx context.Context, s SignInStore, budgets []store.SignInBudget) (*Attempt, error) {
	wait, err := s.SpendSignIn(ctx, budgets...)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		a.limited.Inc()
		return nil, comeBack("There were too many attempts to sign in with this address, or from where you are. Come back after the time in the Retry-After header.", wait)
	}
	return &Attempt{s, budgets}, nil
}

// Succeed takes the attempt back: it was no wrong one. Should that fail the next
// one is counted too, no more.
func (a *Attempt) Succeed(ctx context.Context) { _ = a.store.RefundSignIn(ctx, a.budgets...) }

// The budgets say how often a password may be tried at once, and after which time
// once more. No time is longer than a minute, the longest that callers are asked
// to wait.

// strangerBudgets are those of an attempt from anywhere: by account and client
// together, so that one client can't use up an account's attempts, by account,
// and by client. Of IPv6 the clients are networks of two sizes: providers give a
// /64 to each subscriber, and a /48 to whoever asks for one.
func strangerBudgets(account string, client netip.Addr) []store.SignInBudget {
	subscriber := clientOf(client).String()
	budgets := []store.SignInBudget{
		{Subject: budgetSubject("pair", subscriber, account), Burst: 10, Gap: time.Minute},
		{Subject: budgetSubject("account", account), Burst: 100, Gap: 30 * time.Second},
	}
	return append(budgets, clientBudgets(client)...)
}

func clientBudgets(client netip.Addr) []store.SignInBudget {
	budgets := []store.SignInBudget{{Subject: budgetSubject("client", clientOf(client).String()), Burst: 100, Gap: 5 * time.Second}}
	if client = client.Unmap().WithZone(""); client.Is6() {
		site, _ := client.Prefix(48) // fails for no IPv6 address
		budgets = append(budgets, store.SignInBudget{Subject: budgetSubject("site", site.String()), Burst: 300, Gap: 2 * time.Second})
	}
	return budgets
}

// deviceBudgets are those of an attempt from where the account has signed in
// before: nobody else uses them up, and so locks its owner out.
func deviceBudgets(device string) []store.SignInBudget {
	return []store.SignInBudget{{Subject: budgetSubject("device", device), Burst: 10, Gap: time.Minute}}
}

func budgetSubject(parts ...string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(parts, "\x00")))
}
