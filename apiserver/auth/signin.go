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

// Attempt is an attempt to sign in to an account, whether it exists or not.
type Attempt struct {
	store   *store.DB
	budgets []access.SignInBudget
}

// BeginAttempt counts an attempt to sign in with the address that comes from the
// client. device stands for a browser in which the address has signed in before,
// or for the session of its person; empty: it comes from neither. The error is a
// 429 problem when there were too many of the device's or, without one, of the
// account's or the client's.
func (a *Authenticator) BeginAttempt(ctx context.Context, db *store.DB, email string, client netip.Addr, device string) (*Attempt, error) {
	budgets := strangerBudgets(strings.ToLower(email), client)
	if device != "" {
		budgets = deviceBudgets(device)
	}
	return a.spendBudgets(ctx, db, budgets)
}

// BeginVisit counts an attempt of the client to come back from the provider that
// people sign in with, which is asked about each. The error is a 429 problem when
// there were too many that failed.
func (a *Authenticator) BeginVisit(ctx context.Context, db *store.DB, client netip.Addr) (*Attempt, error) {
	return a.spendBudgets(ctx, db, clientBudgets(client))
}

func (a *Authenticator) spendBudgets(ctx context.Context, db *store.DB, budgets []access.SignInBudget) (*Attempt, error) {
	wait, err := access.SpendSignIn(ctx, db, budgets...)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		a.limited.Inc()
		return nil, comeBack("There were too many attempts to sign in with this address, or from where you are. Come back after the time in the Retry-After header.", wait)
	}
	return &Attempt{db, budgets}, nil
}

// Succeed takes the attempt back: it was no wrong one. Should that fail the next
// one is counted too, no more.
func (a *Attempt) Succeed(ctx context.Context) { _ = access.RefundSignIn(ctx, a.store, a.budgets...) }

// The budgets say how often a password may be tried at once, and after which time
// once more. No time is longer than a minute, the longest that callers are asked
// to wait.

// strangerBudgets are those of an attempt from anywhere: by account and client
// together, so that one client can't use up an account's attempts, by account,
// and by client. Of IPv6 the clients are networks of two sizes: providers give a
// /64 to each subscriber, and a /48 to whoever asks for one.
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
		site, _ := client.Prefix(48) // fails for no IPv6 address
		budgets = append(budgets, access.SignInBudget{Subject: budgetSubject("site", site.String()), Burst: 300, Gap: 2 * time.Second})
	}
	return budgets
}

// deviceBudgets are those of an attempt from where the account has signed in
// before: nobody else uses them up, and so locks its owner out.
func deviceBudgets(device string) []access.SignInBudget {
	return []access.SignInBudget{{Subject: budgetSubject("device", device), Burst: 10, Gap: time.Minute}}
}

func budgetSubject(parts ...string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(parts, "\x00")))
}
