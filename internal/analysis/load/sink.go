package load

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/store/activity"
)

// excludedCoveredBySync is the reason of trades of a file, or of a second platform,
// from the time for which the platform itself has sent the account's trades.
// Platforms and their exports may name one trade differently, so nothing else keeps
// it from counting twice.
const excludedCoveredBySync = "covered_by_sync"

// Kinds of sources.
const (
	sourceIntegration = "integration"
	sourceFile        = "file"
)

// sink collects what is read of a trader. It implements activity.Sink.
type sink struct {
	request  Request
	scope    activity.Scope
	accounts []trades.Account
	// under returns the account for which the trades of a scope's account count:
	// its own, or that of the same login.
	under   map[uuid.UUID]*place
	reports map[uuid.UUID]Report // by file
	read    map[uuid.UUID]bool   // the files of the accounts that are read
	builder *trades.Builder
	rows    map[uuid.UUID]int // by integration and file
	covered result.Exclusion
	outside result.Outside
	// closedWithin is how many trades were opened before the window and closed within it.
	closedWithin int
	cut          bool
	// searched is among how many accounts of others peers were searched.
	searched int
}

// place is where trades of an account go.
type place struct {
	id     string
	source uuid.UUID // integration or file; zero for a peer's account, which has no source
	// first and last bound the times of trades that are left out, because another
	// account that is the same has reported them. They are nil if none are left
	// out.
	first, last *time.Time
}

// Begin implements activity.Sink.
func (s *sink) Begin(scope activity.Scope) ([]activity.Choice, error) {
	s.scope, s.under, s.rows, s.read = scope, map[uuid.UUID]*place{}, map[uuid.UUID]int{}, map[uuid.UUID]bool{}
	s.covered = result.Exclusion{Reason: excludedCoveredBySync, Examples: []string{}}
	s.reports = make(map[uuid.UUID]Report, len(scope.Files))
	for _, f := range scope.Files {
		r, err := ReportOf(f)
		if err != nil {
			return nil, err
		}
		s.reports[f.ID] = r
	}
	heads := s.findHeads()
	wanted, err := s.wantedHeads(heads)
	if err != nil {
		return nil, err
	}
	var chosen []activity.Choice
	for i, head := range heads {
		if !wanted[head] {
			continue
		}
		a, h := &scope.Accounts[i], &scope.Accounts[head]
		p := &place{id: h.ID.String(), source: a.IntegrationID}
		if a.FileID != uuid.Nil {
			p.source = a.FileID
			s.read[a.FileID] = true
		}
		if head != i {
			p.first, p.last = h.FirstAt, h.LastAt
		}
		chosen = append(chosen, activity.Choice{Account: i, Same: head, CoveredFrom: p.first, CoveredTo: p.last})
		s.under[a.ID] = p
		if head == i {
			s.accounts = append(s.accounts, s.describeAccount(a, heads, i))
		}
	}
	return chosen, nil
}

// wantedHeads returns the heads that are asked for: all, or those of the accounts
// that the request names. One that is missing on the platform has nothing to analyze.
func (s *sink) wantedHeads(heads []int) (map[int]bool, error) {
	wanted, named := make(map[int]bool), make(map[uuid.UUID]bool)
	for i, head := range heads {
		id := s.scope.Accounts[i].ID
		if asked := s.request.AccountIDs; len(asked) == 0 || slices.Contains(asked, id) {
			wanted[head], named[id] = true, true
		}
	}
	for _, id := range s.request.AccountIDs {
		if !named[id] && !slices.Contains(s.scope.Missing, id) {
			return nil, &UnknownAccountError{id}
		}
	}
	return wanted, nil
}

// findHeads returns for each account of the scope which one it is the same as: itself, or the first
// that is the same. A file's account that no login identifies is the one that it has a trade in
// common with.
func (s *sink) findHeads() []int {
	heads := make([]int, len(s.scope.Accounts))
	unnamed := make([]bool, len(heads))
	for i := range heads {
		heads[i] = i
		a := &s.scope.Accounts[i]
		same := s.findSame(heads[:i], a)
		switch {
		// The login of accounts on two servers says of neither that the file is from it.
		case a.FileID != uuid.Nil && (a.Login == "" || len(same) > 1 && s.scope.Accounts[same[1]].FileID == uuid.Nil):
			unnamed[i] = true
		case len(same) > 0:
			heads[i] = same[0]
		}
	}
	s.joinUnnamed(heads, unnamed)
	return heads
}

// findSame returns those heads that have the name of an account after them.
func (s *sink) findSame(heads []int, a *activity.ScopeAccount) (same []int) {
	for n, head := range heads {
		if a.Login != "" && head == n && sameAccount(&s.scope.Accounts[n], a) {
			same = append(same, n)
		}
	}
	return same
}

// joinUnnamed puts the accounts that no login identifies under those that they share trades with.
// One that shares trades with several of its kind joins them.
func (s *sink) joinUnnamed(heads []int, unnamed []bool) {
	index := make(map[uuid.UUID]int, len(heads))
	for i := range s.scope.Accounts {
		index[s.scope.Accounts[i].ID] = i
	}
	for i := range heads {
		for _, id := range s.scope.Accounts[i].Shares {
			from, to := heads[i], heads[index[id]]
			if unnamed[to] && (!unnamed[from] || from < to) {
				from, to = to, from
			}
			for n := range heads {
				if unnamed[from] && heads[n] == from {
					heads[n] = to
				}
			}
		}
	}
}

// sameAccount reports whether an account is the same as another one before it. An account of a file
// is found by its login. A synced one has the login and platform of another integration's account,
// and a trade in common with it, because two servers of a platform may give the same login. Within
// one integration, accounts are always different.
func sameAccount(other, a *activity.ScopeAccount) bool {
	if a.FileID == uuid.Nil {
		return other.IntegrationID != a.IntegrationID && strings.EqualFold(other.Login, a.Login) &&
			!isVague(a.Platform) && strings.EqualFold(other.Platform, a.Platform) && slices.Contains(a.Shares, other.ID)
	}
	return isNamedInFile(other, a.Login, a.Platform)
}

// isNamedInFile reports whether a file that names a login and a platform means the account.
func isNamedInFile(a *activity.ScopeAccount, login, platform string) bool {
	return a.HasLogin(login) && (isVague(a.Platform) || isVague(platform) || strings.EqualFold(a.Platform, platform))
}

// isVague reports whether a platform's name says nothing.
func isVague(platform string) bool { return platform == "" || platform == "other" }

// describeAccount describes an account of the trader. What a platform does not tell, a
// file of the same account may.
func (s *sink) describeAccount(a *activity.ScopeAccount, heads []int, self int) trades.Account {
	out := analysisAccount(a)
	for _, f := range s.scope.Files {
		if f.ID == a.FileID {
			out.File, out.Location = f.Name, fileTimezone(s.reports[f.ID])
		}
	}
	for i, head := range heads {
		if other := &s.scope.Accounts[i]; head == self && i != self {
			if out.Currency == "" {
				out.Currency = other.Currency
			}
			if out.InitialBalance == nil {
				out.InitialBalance = floatOf(other.InitialBalance)
			}
		}
	}
	return out
}

func analysisAccount(a *activity.ScopeAccount) trades.Account {
	return trades.Account{
		ID: a.ID.String(), ExternalID: a.ExternalID, Platform: a.Platform, Login: a.Login, Phase: a.Phase, Currency: a.Currency,
		InitialBalance: floatOf(a.InitialBalance),
	}
}

// floatOf is the number; nil when there is none, or when it is beyond what is
// analysed.
func floatOf(d record.Decimal) *float64 {
	value, err := strconv.ParseFloat(string(d), 64)
	if err != nil || value > trades.MaxNumber || value < -trades.MaxNumber {
		return nil
	}
	return &value
}

// fileTimezone returns the timezone of a file's account, where the file or its
// sender has named one.
func fileTimezone(r Report) *time.Location {
	if r.TimezoneBasis == string(statement.ZoneAssumedUTC) {
		return nil
	}
	return value.LoadZone(r.Timezone)
}

// Beyond implements activity.Sink.
func (s *sink) Beyond(before, after *activity.Beyond) {
	if before != nil {
		s.closedWithin = before.Within
	}
	s.outside = result.Outside{Before: outsideOf(before), After: outsideOf(after)}
}

func outsideOf(b *activity.Beyond) *result.OutsideTrades {
	if b == nil {
		return nil
	}
	return &result.OutsideTrades{Trades: b.Trades, From: b.First.UTC(), To: b.Last.UTC()}
}

// Peers implements activity.Sink.
func (s *sink) Peers(accounts []activity.ScopeAccount, searched int, cut bool) {
	s.cut, s.searched = cut, searched
	for i := range accounts {
		a := &accounts[i]
		s.under[a.ID] = &place{id: a.ID.String()}
		peer := analysisAccount(a)
		peer.Peer = true
		s.accounts = append(s.accounts, peer)
	}
	s.builder = trades.NewBuilder(s.accounts)
}

// Trade implements activity.Sink.
func (s *sink) Trade(a *activity.ScopeAccount, t record.Trade) {
	p := s.under[a.ID]
	if p.source != uuid.Nil {
		s.rows[p.source]++
	}
	if p.first != nil && p.last != nil && !t.OpenTime.Before(*p.first) && !t.OpenTime.After(*p.last) {
		s.covered.Count++
		if len(s.covered.Examples) < 5 {
			s.covered.Examples = append(s.covered.Examples, t.ID)
		}
		return
	}
	s.builder.Add(p.id, t)
}

// makeInput returns what was collected.
func (s *sink) makeInput() trades.Input {
	in := s.builder.Input()
	in.Window = trades.Window{From: s.request.From, To: s.request.To}
	in.Location, in.Basis = s.chooseTimezone()
	in.PeersSearched, in.PeersCut = s.searched, s.cut
	if s.covered.Count > 0 {
		slices.Sort(s.covered.Examples)
		in.Excluded = append(in.Excluded, s.covered)
	}
	read := make(map[uuid.UUID]bool)
	for id := range s.under {
		for i := range s.scope.Accounts {
			if a := &s.scope.Accounts[i]; a.ID == id {
				read[a.IntegrationID], read[a.FileID] = true, true
			}
		}
	}
	for _, i := range s.scope.Integrations {
		if read[i.ID] {
			in.Sources = append(in.Sources, result.Source{Kind: sourceIntegration, ID: i.ID.String(), Rows: s.rows[i.ID], LastSync: i.LastSyncAt})
		}
	}
	for _, f := range s.scope.Files {
		if read[f.ID] {
			in.Sources = append(in.Sources, result.Source{Kind: sourceFile, ID: f.ID.String(), Rows: s.rows[f.ID]})
		}
	}
	return in
}

// countAccounts returns how many accounts the platforms have reported that existed
// at the end of the window, how many of these are over, and how many of the others
// belong to other traders with the same email. What several platforms report of one
// account counts once.
func (s *sink) countAccounts() (accounts *int, ended, byEmail int) {
	type account struct{ over, own bool }
	known := map[int]account{} // by head
	for i, head := range s.findHeads() {
		a := &s.scope.Accounts[i]
		traded := a.FirstAt != nil && a.FirstAt.Before(s.request.To)
		if a.FileID != uuid.Nil || !traded && a.KnownSince.After(s.request.To) {
			continue
		}
		k := known[head]
		known[head] = account{k.over || a.Ended, k.own || a.TraderID == s.request.TraderID}
	}
	for _, k := range known {
		switch {
		case k.over:
			ended++
		case !k.own:
			byEmail++
		}
	}
	if n := len(known); n > 0 {
		accounts = &n
	}
	return accounts, ended, byEmail
}

// findFirst returns the first open of all, a platform's or a file's. It is nil if
// there is none.
func (s *sink) findFirst() (first *time.Time) {
	earlier := func(at *time.Time) {
		if at != nil && (first == nil || at.Before(*first)) {
			first = at
		}
	}
	for i := range s.scope.Accounts {
		earlier(s.scope.Accounts[i].FirstAt)
	}
	for _, r := range s.reports {
		earlier(r.From)
	}
	return first
}

// findSameEmail returns the other traders whose accounts are read.
func (s *sink) findSameEmail() (traders []uuid.UUID) {
	for i := range s.scope.Accounts {
		a := &s.scope.Accounts[i]
		if s.under[a.ID] != nil && a.TraderID != s.request.TraderID && !slices.Contains(traders, a.TraderID) {
			traders = append(traders, a.TraderID)
		}
	}
	return traders
}

// chooseTimezone returns the timezone of the analysis, and how it is known.
// Platforms report moments, so that hours are right in whatever timezone is asked
// for, UTC unless one is; the moments of a file whose clock nobody knows may be
// off. Where all comes from files that agree on a timezone, that is it; files
// whose times carry offsets have none, but report moments as well.
func (s *sink) chooseTimezone() (*time.Location, result.TimezoneBasis) {
	basis, agree, stated := result.Given, true, true
	var agreed *time.Location
	for id := range s.read {
		r := s.reports[id]
		l := fileTimezone(r)
		if r.TimezoneBasis == string(statement.ZoneAssumedUTC) {
			basis = result.AssumedUTC
		}
		stated = stated && r.TimezoneBasis == string(statement.ZoneOfFile)
		agree = agree && l != nil && (agreed == nil || agreed.String() == l.String())
		agreed = l
	}
	filed := len(s.read) > 0 && s.onlyFiles()
	switch {
	case s.request.Location != nil:
		return s.request.Location, basis
	case filed && agree && basis == result.Given:
		return agreed, result.FromFile
	case filed && stated:
		return time.UTC, result.FromFile
	}
	return time.UTC, basis
}

// onlyFiles reports whether no synced account is read.
func (s *sink) onlyFiles() bool {
	return !slices.ContainsFunc(s.scope.Accounts, func(a activity.ScopeAccount) bool {
		_, read := s.under[a.ID]
		return read && a.FileID == uuid.Nil
	})
}
