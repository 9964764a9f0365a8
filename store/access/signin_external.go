package access

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// ExternalAccount is an account of an OpenID Connect provider.
type ExternalAccount struct {
	Issuer  string `json:"issuer"` // with or without a slash at its end
	Subject string `json:"subject"`
	Email   string `json:"email"` // verified by the provider; empty if there is none
	// Role is the one that the account's groups give. It is empty if groups give none.
	Role Role `json:"role,omitempty"`
}

// storedIssuer returns the account's issuer in the spelling that is stored.
func (a ExternalAccount) storedIssuer() string { return strings.TrimRight(a.Issuer, "/") }

// Membership is a person as whom an account of a provider may sign in.
type Membership struct {
	PersonID         uuid.UUID `bun:"person_id"`
	OrganizationID   uuid.UUID `bun:"organization_id"`
	OrganizationName string    `bun:"organization_name"`
	Name             string    `bun:"name"`   // of the person
	Linked           bool      `bun:"linked"` // the account is already linked to the person
}

// maxMemberships is the most organizations among which one account can choose. Others can still be
// named.
const maxMemberships = 100

// ListMemberships lists the people as whom the account may sign in, at most one in each
// organization: the person to whom it is linked there or, if it is linked to nobody, the person who
// has its address and no other account of its issuer. An account of another issuer does not count,
// because it is from before the server's provider changed. The links of one organization change
// nothing in another one. organization names the organization to search; empty means all. Linked
// people come first, then the oldest. It returns ErrNotFound if there is nobody, and
// ErrLinkedElsewhere if there are only people with the address and another account.
func ListMemberships(ctx context.Context, db *store.DB, account ExternalAccount, organization string) (found []Membership, err error) {
	defer store.WrapError(&err, "find who an account of %s is", account.Issuer)
	err = db.Bun.NewRaw(`SELECT person_id, organization_id, organization_name, name, linked FROM (
    SELECT DISTINCT ON (p.organization_id) p.id AS person_id, p.organization_id, p.name, p.linked, o.name AS organization_name, o.created_at
    FROM (
        SELECT id, organization_id, name, true AS linked FROM people
        WHERE oidc_issuer = ?0 AND oidc_subject = ?1 AND disabled_at IS NULL
        UNION ALL
        SELECT id, organization_id, name, false FROM people
        WHERE ?2 <> '' AND lower(email) = lower(?2) AND oidc_issuer IS DISTINCT FROM ?0 AND disabled_at IS NULL
    ) AS p JOIN organizations AS o ON o.id = p.organization_id
    WHERE ?3 = '' OR lower(o.name) = lower(?3)
    ORDER BY p.organization_id, p.linked DESC
) AS m ORDER BY linked DESC, created_at, organization_id LIMIT ?4`,
		account.storedIssuer(), account.Subject, account.Email, organization, maxMemberships).Scan(ctx, &found)
	if err != nil || len(found) > 0 {
		return found, err
	}
	var taken bool
	err = db.Bun.NewRaw(`SELECT EXISTS (SELECT FROM people AS p JOIN organizations AS o ON o.id = p.organization_id
WHERE ?0 <> '' AND lower(p.email) = lower(?0) AND p.disabled_at IS NULL AND (?1 = '' OR lower(o.name) = lower(?1)))`, account.Email, organization).Scan(ctx, &taken)
	switch {
	case err != nil:
		return nil, err
	case taken:
		return nil, ErrLinkedElsewhere
	}
	return nil, store.ErrNotFound
}

// BeginExternalSession begins a session of one of the account's memberships, and links the account
// there unless it is linked already. The person gets the account's role, if it has one. c does not name the organization or the person yet. It returns
// ErrLinkedElsewhere if the person or the account has been linked otherwise meanwhile, and
// ErrNotFound if the person was removed.
func BeginExternalSession(ctx context.Context, db *store.DB, c store.Change, account ExternalAccount, m Membership, n NewSession) (s SignedIn, err error) {
	defer store.WrapError(&err, "begin a session of an account of %s", account.Issuer)
	c.OrganizationID, c.PersonID, c.By = m.OrganizationID, m.PersonID, m.Name
	var ended []uuid.UUID
	s, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (s SignedIn, err error) {
		if account.Role != "" {
			if ended, err = assumeRole(ctx, tx, m, account.Role); err != nil {
				return s, err
			}
		}
		if err := linkAccount(ctx, tx, m.PersonID, account); err != nil {
			return s, err
		}
		return signIn(ctx, tx, m.PersonID, n)
	})
	if err != nil {
		return s, err
	}
	return s, awaitUnused(ctx, db, ended...)
}

// assumeRole gives the person the role, and returns the sessions that this ends. The last owner
// stays one, because otherwise nobody could manage the organization.
func assumeRole(ctx context.Context, tx *store.Tx, m Membership, role Role) (ended []uuid.UUID, err error) {
	before, err := lockPerson(ctx, tx, m.OrganizationID, m.PersonID)
	if err != nil || before.Role == role {
		return nil, err
	}
	switch err := keepsOwner(ctx, tx, before); {
	case errors.Is(err, ErrLastOwner):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if _, err := updatePerson(ctx, tx, before, PersonPatch{Role: &role}); err != nil {
		return nil, err
	}
	return endSessions(ctx, tx, m.PersonID)
}

// accountLocks is the class of the advisory locks that guard the linking of accounts.
const accountLocks = 0x6f696463 // "oidc"

// linkAccount links the account to the person, unless it is linked already. It checks again under
// the row's lock whether that is allowed.
func linkAccount(ctx context.Context, tx *store.Tx, personID uuid.UUID, account ExternalAccount) error {
	var before struct{ Linked bool }
	err := tx.NewRaw(`SELECT oidc_issuer IS NOT DISTINCT FROM ? AS linked FROM people WHERE id = ? AND disabled_at IS NULL FOR NO KEY UPDATE`, account.storedIssuer(), personID).Scan(ctx, &before)
	if err != nil {
		return err
	}
	// The lock prevents concurrent linking of the account.
	_, err = tx.NewRaw(`SELECT pg_advisory_xact_lock(?, hashtext(?))`, accountLocks, account.storedIssuer()+" "+account.Subject).Exec(ctx)
	if err != nil {
		return err
	}
	var linked uuid.UUID
	err = tx.NewRaw(`UPDATE people AS p SET oidc_issuer = ?0, oidc_subject = ?1
WHERE id = ?2 AND (oidc_issuer = ?0 AND oidc_subject = ?1 OR oidc_issuer IS DISTINCT FROM ?0 AND lower(email) = lower(?3))
    AND NOT EXISTS (SELECT FROM people AS o WHERE o.organization_id = p.organization_id AND o.oidc_issuer = ?0 AND o.oidc_subject = ?1 AND o.disabled_at IS NULL AND o.id <> p.id)
RETURNING id`, account.storedIssuer(), account.Subject, personID, account.Email).Scan(ctx, &linked)
	if store.IsNoRows(err) {
		return ErrLinkedElsewhere
	}
	if err != nil || before.Linked {
		return err
	}
	tx.Audit(action.UserUpdated, personID, store.AuditFields{"oidc_linked": false}, store.AuditFields{"oidc_linked": true})
	return nil
}
