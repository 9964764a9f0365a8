package interviews

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/directory"
)

// ExportedInterview is all data of an interview, which a trader can request by law.
type ExportedInterview struct {
	Detail
	VTT     string // captions; empty if there are none
	Views   []View
	Reports []InterviewReport // every version, oldest first
	Parts   []ExportedTake    // what was uploaded
}

// InterviewReport is a version of a report.
type InterviewReport struct {
	Version int             `bun:"version"`
	Report  json.RawMessage `bun:"report"`
}

// ExportedTake is a take with the blobs of its bytes, in their order.
type ExportedTake struct {
	Take
	Blobs []string
}

// Export returns all data of an interview, and records the export. It returns ErrNotFound if there
// is no such interview.
func Export(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (e ExportedInterview, err error) {
	defer store.WrapError(&err, "export interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (ExportedInterview, error) {
		e, err := exportInterview(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return e, err
		}
		tx.Audit(store.AuditInterviewExported, id, nil, nil)
		return e, nil
	})
}

// exportInterview reads all data of an interview.
func exportInterview(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (e ExportedInterview, err error) {
	if e.Detail, err = readDetail(ctx, tx, orgID, id); err != nil {
		return e, err
	}
	if err := tx.NewRaw(`SELECT vtt FROM interview_subtitles WHERE interview_id = ?`, id).Scan(ctx, &e.VTT); ignoreNoRows(err) != nil {
		return e, err
	}
	err = tx.NewRaw(`SELECT kind, viewer, ip_prefix, at, share_id FROM interview_views WHERE interview_id = ? ORDER BY at, id`, id).Scan(ctx, &e.Views)
	if err != nil {
		return e, err
	}
	if err := tx.NewRaw(`SELECT version, report FROM interview_reports WHERE interview_id = ? ORDER BY version`, id).Scan(ctx, &e.Reports); err != nil {
		return e, err
	}
	for _, t := range e.Takes {
		x := ExportedTake{Take: t}
		if err := tx.NewRaw(`SELECT blob FROM interview_take_parts WHERE take_id = ? ORDER BY part_offset`, t.ID).Scan(ctx, &x.Blobs); err != nil {
			return e, err
		}
		e.Parts = append(e.Parts, x)
	}
	return e, nil
}

// TraderExport is all data of a trader.
type TraderExport struct {
	directory.TraderDetail
	Trades  []directory.Trade // of all accounts, newest first, at most maxExportedTrades
	Files   []activity.File   // the uploaded ones
	Exports []ExportedInterview
}

// maxExportedTrades limits the trades of one export.
const maxExportedTrades = 1_000_000

// ExportTrader returns all data of a trader, and records the export. It returns ErrNotFound if
// there is no such trader.
func ExportTrader(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (e TraderExport, err error) {
	defer store.WrapError(&err, "export trader %s", id)
	e, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (e TraderExport, err error) {
		if e.TraderDetail, _, err = directory.ReadTraderIn(ctx, tx, c.OrganizationID, id); err != nil {
			return e, err
		}
		var ids []uuid.UUID
		if err := tx.NewRaw(`SELECT id FROM interviews WHERE trader_id = ? ORDER BY created_at, id`, id).Scan(ctx, &ids); err != nil {
			return e, err
		}
		for _, interview := range ids {
			x, err := exportInterview(ctx, tx, c.OrganizationID, interview)
			if err != nil {
				return e, err
			}
			e.Exports = append(e.Exports, x)
		}
		tx.Audit(store.AuditTraderExported, id, nil, nil)
		return e, nil
	})
	if err != nil {
		return e, err
	}
	if e.Files, err = activity.ListFiles(ctx, db, c.OrganizationID, id); err != nil {
		return e, err
	}
	e.Trades, _, err = directory.ListTrades(ctx, db, c.OrganizationID, id, directory.TradeFilter{}, store.Page{Number: 1, Limit: maxExportedTrades})
	return e, err
}
