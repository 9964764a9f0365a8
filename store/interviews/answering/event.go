package answering

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
)

// maxEvents is the most events of one interview. Further ones are counted with the request but not
// stored.
const maxEvents = 20_000

// AddEvents records the events of a trader's browser, each once regardless of how often it is sent.
// It ignores events that arrive after the interview has ended, because a page that is closed sends
// its last events late.
func AddEvents(ctx context.Context, db *store.DB, s Session, events []interviews.NewEvent) (added int, err error) {
	defer store.WrapError(&err, "add events of interview %s", s.InterviewID)
	err = db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var room int
		err := tx.NewRaw(`SELECT ? - (SELECT count(*) FROM interview_events WHERE interview_id = i.id) FROM interviews AS i
WHERE i.id = ? AND i.status IN ('invited', 'in_progress', 'processing') FOR KEY SHARE`, maxEvents, s.InterviewID).Scan(ctx, &room)
		if store.IsNoRows(err) || err == nil && room <= 0 {
			return nil
		}
		if err != nil {
			return err
		}
		added, err = interviews.AddEvents(ctx, tx, s.InterviewID, &s.ID, events[:min(len(events), room)])
		return err
	})
	return added, err
}
