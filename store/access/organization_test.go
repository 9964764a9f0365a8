package access_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

func TestBootstrap(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	b := access.NewOrganization{
		OrganizationName: "O'Neill \\ Söhne", Email: "owner@example.com", PasswordHash: "$argon2id$…",
		Key: access.NewAPIKey{
			Name: "first", Prefix: "svc_live_abcdef", SecretHash: sha256.Sum256([]byte("secret")),
			Scopes: []string{"traders:read", `odd "scope", {}`}, CreatedByName: "bootstrap", ExpiresInDays: 30,
		},
	}
	organization, owner, key, err := access.Bootstrap(t.Context(), db, b)
	if err != nil {
		t.Fatal(err)
	}
	if organization.Name != b.OrganizationName || owner.OrganizationID != organization.ID || owner.Role != access.RoleOwner {
		t.Errorf("organization %+v with owner %+v", organization, owner)
	}
	if age := time.Since(organization.CreatedAt); age < -time.Minute || age > time.Minute {
		t.Errorf("created at %v, want about now", organization.CreatedAt)
	}
	if organization.CreatedAt.Location() != time.UTC {
		t.Errorf("created at %v, want UTC", organization.CreatedAt)
	}

	found, err := access.FindAPIKey(t.Context(), db, b.Key.SecretHash)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(key, found); diff != "" {
		t.Errorf("the key differs from the one made (-made +found):\n%s", diff)
	}
	if diff := cmp.Diff(b.Key.Scopes, found.Scopes); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
	if found.ExpiresAt == nil || found.ExpiresAt.Sub(found.CreatedAt) != 30*24*time.Hour || found.RevokedAt != nil {
		t.Errorf("created %v, expires %v, revoked %v; want 30 days and never", found.CreatedAt, found.ExpiresAt, found.RevokedAt)
	}
}

func TestBootstrapTwice(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	b := access.NewOrganization{OrganizationName: "Acme", Email: "a@example.com", Key: access.NewAPIKey{SecretHash: [32]byte{1}, Scopes: []string{"x"}}}
	if _, _, _, err := access.Bootstrap(t.Context(), db, b); err != nil {
		t.Fatal(err)
	}
	b.OrganizationName, b.Key.SecretHash = "ACME", [32]byte{2}
	if _, _, _, err := access.Bootstrap(t.Context(), db, b); !errors.Is(err, store.ErrConflict) {
		t.Errorf("second organization of the name: %v, want ErrConflict", err)
	}
	if _, err := access.FindAPIKey(t.Context(), db, [32]byte{2}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("key of the refused organization: %v, want ErrNotFound", err)
	}
}
