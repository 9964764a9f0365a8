package syncing_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// trader returns a page of one trader. minutes is when it was updated.
func trader(id, email string, minutes int) record.Batch {
	return record.Batch{Traders: []record.Trader{{ID: id, Email: email, FirstName: "Synced", UpdatedAt: day.Add(time.Duration(minutes) * time.Minute)}}}
}

// waitForBlocked waits until some session of the database waits for another,
// or until none does.
func waitForBlocked(t *testing.T, url string, want bool) {
	t.Helper()
	conn := storetest.Conn(t, url)
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); {
		var blocked bool
		err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock') FROM pg_sleep(0.01)`).Scan(&blocked)
		if err != nil {
			t.Fatal(err)
		}
		if blocked == want {
			return
		}
	}
	t.Fatalf("sessions wait for each other: never %v", want)
}
