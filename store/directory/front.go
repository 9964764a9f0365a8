package directory

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// frontRows is the largest offset of a page that one statement finds by reading each row before it.
// Later pages are found in the index alone.
const frontRows = 500

// readFront reads a page near the beginning of the unfiltered directory, and the total, in one
// statement and so from one snapshot. Most requests for the directory ask for such a page. found is
// false if there is no row from which to read the total.
func readFront(ctx context.Context, reader store.Reader, orgID uuid.UUID, p store.Page) (traders []Trader, total int, found bool, err error) {
	// The numbers of rows are part of the text. A generic plan for any number would assume many
	// rows, so that Postgres would make a new plan each time.
	query, args := fmt.Sprintf(frontSQL, p.MaxRows(), p.Offset()), store.Prepared(reader, orgID)
	err = reader.ReadFrom(ctx, orgID, func(ctx context.Context, on store.Connections) error {
		rows, err := on.Pool.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		traders, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Trader, err error) {
			err = row.Scan(&t.ID, &t.Source, &t.IntegrationID, &t.ExternalID, &t.FirstName, &t.LastName, &t.FullName, &t.Email, &t.Country, &t.Phone,
				&t.KYCStatus, &t.Status, &t.Tags, &t.RegisteredAt, &t.Metadata, &t.Unrecognized, &t.PlatformUpdatedAt, &t.MissingSince, &t.Overrides,
				&t.ErasedAt, &t.CreatedAt, &t.UpdatedAt, &total)
			return t, err
		})
		return err
	})
	return traders, total, len(traders) > 0, err
}

// frontSQL selects %d rows after the first %d rows of the organization $1.
var frontSQL = `SELECT ` + traderColumns + `, (` + strings.NewReplacer("?0", "$1", "?1", "''").Replace(directoryTotal) + `) AS total
FROM traders AS t WHERE t.organization_id = $1 AND t.status <> 'archived'` + newestFirst + ` LIMIT %d OFFSET %d`
