package privacy

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/interviews/viewing"
)

// Interview is all data of an interview, which a trader can request by law.
type Interview struct {
	interviews.Detail
	VTT      string // captions; empty if there are none
	Views    []viewing.View
	Comments []review.Comment // oldest first
	Reports  []Report         // every version, oldest first
	Parts    []Take           // what was uploaded
}

// Report is a version of a report.
type Report struct {
	Version int             `bun:"version"`
	Report  json.RawMessage `bun:"report"`
}

// Take is a take with the blobs of its bytes, in their order.
type Take struct {
	interviews.Take
	Blobs []string
}

// ExportInterview returns all data of an interview, and records the export. It returns ErrNotFound if there
// is no such interview.
func ExportInterview(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (e Interview, err error) {
	defer store.WrapError(&err, "export interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (Interview, error) {
		e, err := exportInterview(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return e, err
		}
		tx.Audit(action.InterviewExported, id, nil, nil)
		return e, nil
	})
}

// exportInterview reads all data of an interview.
func exportInterview(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (e Interview, err error) {
	if e.Detail, err = interviews.ReadDetailIn(ctx, tx, orgID, id); err != nil {
		return e, err
	}
	if err := tx.NewRaw(`SELECT vtt FROM interview_subtitles WHERE interview_id = ?`, id).Scan(ctx, &e.VTT); store.IgnoreNoRows(err) != nil {
		return e, err
	}
	err = tx.NewRaw(`SELECT kind, viewer, ip_prefix, at, share_id FROM interview_views WHERE interview_id = ? ORDER BY at, id`, id).Scan(ctx, &e.Views)
	if err != nil {
		return e, err
	}
	if e.Comments, err = review.ReadComments(ctx, tx, id); err != nil {
		return e, err
	}
	if err := tx.NewRaw(`SELECT version, report FROM interview_reports WHERE interview_id = ? ORDER BY version`, id).Scan(ctx, &e.Reports); err != nil {
		return e, err
	}
	for _, t := range e.Takes {
		x := Take{Take: t}
		if err := tx.NewRaw(`SELECT blob FROM interview_take_parts WHERE take_id = ? ORDER BY part_offset`, t.ID).Scan(ctx, &x.Blobs); err != nil {
			return e, err
		}
		e.Parts = append(e.Parts, x)
	}
	return e, nil
}

// ReadInterview returns all data of an interview. It returns ErrNotFound if there is no such interview.
func ReadInterview(ctx context.Context, reader store.Reader, orgID, id uuid.UUID) (e Interview, err error) {
	defer store.WrapError(&err, "read all data of interview %s", id)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) (err error) {
		e, err = exportInterview(ctx, tx, orgID, id)
		return err
	})
	return e, err
}

// Trader is all data of a trader, except what is too much to be held at once: see directory.EachTrade,
// activity.ReadFileContent and ReadInterview.
type Trader struct {
	directory.TraderDetail
	Files        []activity.File // the uploaded ones
	InterviewIDs []uuid.UUID     // the oldest first
}

// ExportTrader returns the data of a trader, and records the export, because what follows is sent while it
// is read. It returns ErrNotFound if there is no such trader.
func ExportTrader(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (e Trader, err error) {
	defer store.WrapError(&err, "export trader %s", id)
	files, err := activity.ListFiles(ctx, db, c.OrganizationID, id)
	if err != nil {
		return e, err
	}
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (Trader, error) {
		e := Trader{Files: files}
		if e.TraderDetail, _, err = directory.ReadTraderIn(ctx, tx, c.OrganizationID, id); err != nil {
			return e, err
		}
		if err := tx.NewRaw(`SELECT id FROM interviews WHERE trader_id = ? ORDER BY created_at, id`, id).Scan(ctx, &e.InterviewIDs); err != nil {
			return e, err
		}
		tx.Audit(action.TraderExported, id, nil, nil)
		return e, nil
	})
}

// ListExport is an export of a list as CSV.
type ListExport struct {
	List    string    // such as traders or audit_log
	Filters []string  // names of the filters, whose values may identify a person
	Of      string    // what the rows belong to, such as trader_id; empty for lists of the organization
	OwnerID uuid.UUID // of the trader, integration or webhook endpoint that Of names
}

// RecordListExport records that a list was exported.
func RecordListExport(ctx context.Context, db *store.DB, c store.Change, e ListExport) (err error) {
	defer store.WrapError(&err, "record an export of %s", e.List)
	_, err = store.MakeChange(ctx, db, c, func(_ context.Context, tx *store.Tx) (struct{}, error) {
		fields := store.AuditFields{"list": e.List, "filters": e.Filters}
		if e.Of != "" {
			fields[e.Of] = e.OwnerID
		}
		tx.Audit(action.ListExported, c.OrganizationID, nil, fields)
		return struct{}{}, nil
	})
	return err
}
