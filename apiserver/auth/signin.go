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
// client. The error is a 429 problem when there were too many of the account's,
// or of the client's.
func (a *Authenticator) BeginAttempt(ctx context.Context, s SignInStore, email string, client netip.Addr) (*Attempt, error) {
	budgets := budgetsOf(strings.ToLower(email), clientOf(client).String())
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

// budgetsOf says how often a password may be tried at once, and after which time
// once more. No time is longer than a minute, the longest that callers are asked
// to wait. One client can't use up an account's attempts, and so lock its owner
// out.
func budgetsOf(account, client string) []store.SignInBudget {
	about := func(subject string) [sha256.Size]byte { return sha256.Sum256([]byte(subject)) }
	return []store.SignInBudget{
		{Subject: about("pair\x00" + client + "\x00" + account), Burst: 10, Gap: time.Minute},
		{Subject: about("account\x00" + account), Burst: 100, Gap: 30 * time.Second},
		{Subject: about("client\x00" + client), Burst: 100, Gap: 5 * time.Second},
	}
}
