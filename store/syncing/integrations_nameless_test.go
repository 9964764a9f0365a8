package syncing_test

import (
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// TestRotateKeyOfNamelessTraders: a platform whose traders are nothing but ids can rotate its key, and
// another platform with the same ids is still refused.
func TestRotateKeyOfNamelessTraders(t *testing.T) {
	at := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	stored := []record.Trader{{ID: "1", UpdatedAt: at}, {ID: "2", UpdatedAt: at.Add(time.Second)}, {ID: "3", RegisteredAt: at, UpdatedAt: at}}
	for _, tt := range []struct {
		name  string
		shown []record.Trader
		saved bool
	}{
		{"the same", []record.Trader{stored[0], {ID: "2", UpdatedAt: at.Add(time.Hour)}, {ID: "3", RegisteredAt: at, UpdatedAt: at.Add(time.Hour)}}, true},
		{"other traders", []record.Trader{{ID: "1", UpdatedAt: at.Add(time.Minute)}, {ID: "2", UpdatedAt: at.Add(time.Hour)}, {ID: "3", UpdatedAt: at.Add(time.Hour)}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
			storetest.Records(t, b.URL, i, record.Batch{Traders: stored})
			p := integrations.Patch{APIKey: new(seal.NewSecret("rotated"))}
			p.Check = &integrations.LiveCheck{CheckOutcome: passedCheck, SettingsVersion: i.SettingsVersion, Traders: tt.shown}
			_, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, p)
			if saved := err == nil; saved != tt.saved {
				t.Errorf("saved: %t (%v), want %t", saved, err, tt.saved)
			}
		})
	}
}
