package syncing_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// schedule reads the integration's schedule.
func (b orgDB) schedule(t *testing.T, id uuid.UUID) integrations.Schedule {
	t.Helper()
	s, err := integrations.ReadSchedule(t.Context(), b.DB, b.Org, id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCreateIntegration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), integrations.New{
		Kind: record.PartnerPlatform, Name: "Partner", BaseURL: "https://api.partner.example/x",
		APIKey:              seal.NewSecret("a-very-secret-key-ab12"),
		AccountScope:        &syncing.AccountScope{PlanCategoryIDs: []json.Number{"18446744073709551617", "2"}, Platforms: []string{}},
		SyncIntervalSeconds: 600,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := integrations.Integration{
		ID: made.ID, OrganizationID: b.Org, Kind: record.PartnerPlatform, Name: "Partner", BaseURL: "https://api.partner.example/x",
		APIKeyPreview: "****ab12", AccountScope: &syncing.AccountScope{PlanCategoryIDs: []json.Number{"18446744073709551617", "2"}, Platforms: []string{}},
		SyncIntervalSeconds: 600, IsActive: true, SettingsVersion: 1, HealthStatus: syncing.HealthCheckFailed, CreatedAt: made.CreatedAt, UpdatedAt: made.UpdatedAt,
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("integration (-want +got):\n%s", diff)
	}
	read, err := integrations.Read(t.Context(), b.DB, b.Org, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, read); diff != "" {
		t.Errorf("read again (-made +read):\n%s", diff)
	}
	s := b.schedule(t, made.ID)
	if s.ClaimableAt != nil || s.PeriodMS != 600_000 || s.PhaseMS < 0 || s.PhaseMS >= 600_000 {
		t.Errorf("schedule %+v: want not claimable, a period of ten minutes and a phase within it", s)
	}
	if offset := s.SlotAt.UnixMilli() % s.PeriodMS; offset != s.PhaseMS {
		t.Errorf("slot %v lies %d ms into its period, want %d", s.SlotAt, offset, s.PhaseMS)
	}
	if wait := time.Until(*s.SlotAt); wait < -time.Minute || wait > 11*time.Minute {
		t.Errorf("slot in %v, want within ten minutes", wait)
	}
	config, err := integrations.ReadConfig(t.Context(), b.DB, b.Org, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if config.APIKey.Reveal() != "a-very-secret-key-ab12" {
		t.Error("the credential read differs from the one saved")
	}
	if leaks := storetest.One[int](t, b.Conn, `SELECT count(*) FROM integrations WHERE position('a-very-secret-key-ab12'::bytea in api_key) > 0`); leaks != 0 {
		t.Error("the credential stands readable in the database")
	}
}

func TestIntegrationsOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	other := storetest.Organization(t, b.DB).ID
	calls := map[string]func(ctx context.Context, org, id uuid.UUID) error{
		"Integration": func(ctx context.Context, org, id uuid.UUID) error {
			_, err := integrations.Read(ctx, b.DB, org, id)
			return err
		},
		"IntegrationConfig": func(ctx context.Context, org, id uuid.UUID) error {
			_, err := integrations.ReadConfig(ctx, b.DB, org, id)
			return err
		},
		"UpdateIntegration": func(ctx context.Context, org, id uuid.UUID) error {
			_, err := integrations.Update(ctx, b.DB, store.SystemChange(org), id, integrations.Patch{Name: new("mine now")})
			return err
		},
		"RecordLiveCheck": func(ctx context.Context, org, id uuid.UUID) error {
			_, err := integrations.RecordLiveCheck(ctx, b.DB, store.SystemChange(org), id, integrations.LiveCheck{CheckOutcome: deniedCheck, SettingsVersion: 1})
			return err
		},
		"RequestSync": func(ctx context.Context, org, id uuid.UUID) error {
			_, err := integrations.RequestSync(ctx, b.DB, store.SystemChange(org), id)
			return err
		},
		"DeleteIntegration": func(ctx context.Context, org, id uuid.UUID) error {
			return integrations.Delete(ctx, b.DB, store.SystemChange(org), id, nil)
		},
		"SyncRuns": func(ctx context.Context, org, id uuid.UUID) error {
			_, _, err := history.ListRuns(ctx, b.DB, org, id, history.RunFilter{}, store.Page{Number: 1, Limit: 1})
			return err
		},
		"Quarantine": func(ctx context.Context, org, id uuid.UUID) error {
			_, _, err := history.ListQuarantine(ctx, b.DB, org, id, history.QuarantineFilter{}, store.Page{Number: 1, Limit: 1})
			return err
		},
		"Findings": func(ctx context.Context, org, id uuid.UUID) error {
			_, _, err := history.ListFindings(ctx, b.DB, org, id, store.Page{Number: 1, Limit: 1})
			return err
		},
		"Schedule": func(ctx context.Context, org, id uuid.UUID) error {
			_, err := integrations.ReadSchedule(ctx, b.DB, org, id)
			return err
		},
	}
	for name, call := range calls {
		if err := call(t.Context(), other, i.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s with another organization's id: %v, want ErrNotFound", name, err)
		}
		if err := call(t.Context(), b.Org, uuid.New()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s with an unknown id: %v, want ErrNotFound", name, err)
		}
	}
	if list, err := integrations.List(t.Context(), b.DB, other); err != nil || len(list) != 0 {
		t.Errorf("the other organization's list: %v, %v", list, err)
	}
	after, err := integrations.Read(t.Context(), b.DB, b.Org, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(i, after); diff != "" {
		t.Errorf("the integration has changed (-before +after):\n%s", diff)
	}
}

func TestIntegrationsNewestFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	second := storetest.Integration(t, b.DB, b.Org, "https://b.example")
	list, err := integrations.List(t.Context(), b.DB, b.Org)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]integrations.Integration{second, first}, list); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestNoKeyring(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	bare, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(b.URL)})
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	if _, err := integrations.Read(t.Context(), bare, b.Org, i.ID); err != nil {
		t.Errorf("reading without a keyring: %v", err)
	}
	if _, err := integrations.ReadConfig(t.Context(), bare, b.Org, i.ID); err == nil {
		t.Error("opening a credential without a keyring succeeded")
	}
	if _, err := integrations.Create(t.Context(), bare, store.SystemChange(b.Org), integrations.New{}); err == nil {
		t.Error("sealing a credential without a keyring succeeded")
	}
}
