package load

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
)

// Limits of what a preview shows.
const (
	maxPreviewTrades   = 10  // in Preview.Trades
	maxPreviewAccounts = 100 // in Preview.Accounts, and in PreviewAccount.Known
)

// Preview is what the import of a file would give.
type Preview struct {
	MediaType string
	Report    Report
	Accounts  []PreviewAccount // those that occur in the file, in its order, at most maxPreviewAccounts
	// Imported reports that the trader has the file already, read with the same options.
	Imported bool
	Trades   []record.Trade // the first ones in the file's order, at most maxPreviewTrades
}

// PreviewAccount is an account that occurs in a file.
type PreviewAccount struct {
	statement.Account
	// Known are the accounts of the trader that the file means with this one: of platforms, and of
	// other files.
	Known []activity.ScopeAccount
}

// ReadPreview reads a file as Read does and stores nothing. The errors are those of statement.Read,
// and store.ErrNotFound if the organization has no such trader.
func ReadPreview(ctx context.Context, db *store.DB, orgID uuid.UUID, u Upload) (p Preview, err error) {
	scope, err := activity.ReadScope(ctx, db, orgID, u.TraderID)
	if err != nil {
		return p, err
	}
	file, err := u.readStatement(ctx)
	if err != nil {
		return p, err
	}
	p = Preview{MediaType: media[file.Kind], Report: reportOf(file)}
	var replaced uuid.UUID
	if before := findSameBytes(scope.Files, u); before != nil {
		replaced, p.Imported = before.ID, Known(*before, u)
	}
	for _, a := range file.Accounts[:min(len(file.Accounts), maxPreviewAccounts)] {
		p.Accounts = append(p.Accounts, PreviewAccount{Account: a, Known: findNamed(scope.Accounts, a, replaced)})
	}
	p.Trades, err = firstTrades(ctx, file)
	return p, err
}

// findSameBytes returns the trader's file with the same bytes, which an import would replace, or nil.
func findSameBytes(files []activity.File, u Upload) *activity.File {
	i := slices.IndexFunc(files, func(f activity.File) bool { return f.TraderID == u.TraderID && bytes.Equal(f.SHA256, u.SHA256[:]) })
	if i < 0 {
		return nil
	}
	return &files[i]
}

// findNamed returns the accounts of a trader that a file means with one of its own, except for those
// of the file that is replaced, which may be none.
func findNamed(accounts []activity.ScopeAccount, a statement.Account, replaced uuid.UUID) (known []activity.ScopeAccount) {
	if a.Login == "" {
		return nil
	}
	for i := range accounts {
		other := &accounts[i]
		isReplaced := replaced != uuid.Nil && other.FileID == replaced
		if len(known) < maxPreviewAccounts && !isReplaced && isNamedInFile(other, a.Login, a.Platform) {
			known = append(known, *other)
		}
	}
	return known
}

var errEnough = errors.New("enough trades")

func firstTrades(ctx context.Context, file *statement.File) (first []record.Trade, err error) {
	err = file.Trades.Each(ctx, func(t *record.Trade) error {
		if first = append(first, *t); len(first) == maxPreviewTrades {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return first, err
}
