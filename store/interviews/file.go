package interviews

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// RemoveFile removes the activity file from an interview, and deletes it if it was uploaded for the
// interview. If another interview has the file, it becomes that interview's.
func RemoveFile(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	_, err := tx.NewRaw(`WITH gone AS (
    DELETE FROM activity_files AS f USING interview_files AS x, interviews AS i
    WHERE x.interview_id = ?0 AND x.owned AND i.id = x.interview_id AND f.trader_id = i.trader_id AND f.sha256 = x.sha256
        AND NOT EXISTS (SELECT FROM interview_files AS y JOIN interviews AS j ON j.id = y.interview_id
            WHERE y.sha256 = x.sha256 AND j.trader_id = i.trader_id AND y.interview_id <> x.interview_id) RETURNING f.id
), trades AS (DELETE FROM activity_trades AS t USING gone WHERE t.file_id = gone.id), heir AS (
    UPDATE interview_files AS h SET owned = true WHERE h.interview_id = (
        SELECT y.interview_id FROM interview_files AS x JOIN interviews AS i ON i.id = x.interview_id JOIN interviews AS j ON j.trader_id = i.trader_id
            JOIN interview_files AS y ON y.interview_id = j.id AND y.sha256 = x.sha256 AND y.interview_id <> x.interview_id
        WHERE x.interview_id = ?0 AND x.owned ORDER BY y.uploaded_at, y.interview_id LIMIT 1)
)
DELETE FROM interview_files WHERE interview_id = ?0`, id).Exec(ctx)
	return err
}
