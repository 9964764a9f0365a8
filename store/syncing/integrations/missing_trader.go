package integrations

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/syncing"
)

// ruleTraderMissing is broken if a platform no longer knows a trader that it has sent.
const ruleTraderMissing = "trader_missing"

// MissingTrader returns the error of a platform that does not know a trader that it has sent
// (platform contract, Errors): which endpoint responded how, and when.
func MissingTrader(externalID, endpoint string, status int, at time.Time) *syncing.Error {
	return &syncing.Error{
		Resource: string(record.Traders), Code: "not_found", HTTPStatus: status, Endpoint: endpoint, At: at,
		Message: fmt.Sprintf("The platform does not return the trader %q, which it returned before.", externalID),
		Hint:    "Return /traders/{id} for each trader that the list of traders has contained. Existing data about this trader is kept.",
	}
}

// NoteTraderMissing counts that an integration's platform does not know a trader that it has sent.
// The error remains the integration's last error until traders are read successfully again. The
// trader stays.
func NoteTraderMissing(ctx context.Context, db *store.DB, orgID, integrationID uuid.UUID, externalID, endpoint string, status int) (err error) {
	defer store.WrapError(&err, "note that a trader is missing from integration %s", integrationID)
	_, err = store.MakeChange(ctx, db, store.SystemChange(orgID), func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		if err := directory.NoteRule(ctx, tx, integrationID, record.Traders, ruleTraderMissing, []string{externalID}); err != nil {
			return none, err
		}
		var now time.Time
		if err := tx.NewRaw(`SELECT now()`).Scan(ctx, &now); err != nil {
			return none, err
		}
		text, err := json.Marshal(MissingTrader(externalID, endpoint, status, now.UTC()))
		if err != nil {
			return none, err
		}
		// A platform that has sent a trader has its stream as soon as a run is over.
		_, err = tx.NewRaw(`UPDATE sync_streams SET last_error = ?::jsonb WHERE integration_id = ? AND stream = ?`,
			string(text), integrationID, record.StreamTraders).Exec(ctx)
		return none, err
	})
	return err
}
