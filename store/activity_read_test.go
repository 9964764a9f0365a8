package store_test

import (
	"fmt"
	"testing"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// activitySink remembers what it is told.
type activitySink struct {
	scope   store.ActivityScope
	trades  map[string]record.Trade // by login or external id of the account, and id
	peers   []string                // external ids or logins
	cut     bool
	choose  func(store.ActivityScope) []int
	refused error
}

func newActivitySink() *activitySink { return &activitySink{trades: map[string]record.Trade{}} }

func (s *activitySink) Begin(scope store.ActivityScope) ([]int, error) {
	s.scope = scope
	if s.choose != nil {
		return s.choose(scope), s.refused
	}
	all := make([]int, len(scope.Accounts))
	for i := range all {
		all[i] = i
	}
	return all, s.refused
}

func (s *activitySink) Peers(accounts []store.ScopeAccount, cut bool) {
	s.cut = cut
	for _, a := range accounts {
		s.peers = append(s.peers, accountName(&a))
	}
}

func (s *activitySink) Trade(a *store.ScopeAccount, t record.Trade) {
	s.trades[accountName(a)+"/"+t.ID] = t
}

func accountName(a *store.ScopeAccount) string {
	if a.ExternalID != "" {
		return a.ExternalID
	}
	return a.Login
}

func (b bundle) readActivity(t *testing.T, r store.ActivityRead) *activitySink {
	t.Helper()
	sink := newActivitySink()
	if err := b.ReadActivity(t.Context(), b.org, r, sink); err != nil {
		t.Fatal(err)
	}
	return sink
}

func (s *activitySink) String() string {
	accounts, files := []string{}, []string{}
	for _, a := range s.scope.Accounts {
		accounts = append(accounts, accountName(&a))
	}
	for _, f := range s.scope.Files {
		files = append(files, f.Name)
	}
	return fmt.Sprintf("accounts %v, files %v, %d integrations, %d trades, peers %v", accounts, files, len(s.scope.Integrations), len(s.trades), s.peers)
}
