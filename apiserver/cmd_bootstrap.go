package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// bootstrapped is the output of bootstrap. Neither password nor key can be read again.
type bootstrapped struct {
	OrganizationID uuid.UUID `json:"organization_id"`
	UserID         uuid.UUID `json:"user_id"`
	Password       string    `json:"password"`
	APIKey         string    `json:"api_key"`
}

// bootstrapOrganization creates an organization with its owner and its first key.
func bootstrapOrganization(ctx context.Context, o options, stdout, _ io.Writer) error {
	scopes, err := checkBootstrap(o)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	config, err := loadConfig(o, "database.url")
	if err != nil {
		return err
	}
	db, err := openForCommand(ctx, config, "apiserver bootstrap", nil) // bootstrap seals nothing
	if err != nil {
		return err
	}
	defer db.Close()
	key, password := auth.NewKey(), auth.NewPassword()
	hash, err := auth.HashPassword(password)
	if err != nil {
		return err
	}
	organization, person, _, err := access.Bootstrap(ctx, db, access.NewOrganization{
		OrganizationName: o.organization, Email: o.email, PasswordHash: hash,
		Key: access.NewAPIKey{
			Name: "First key", Prefix: key.Prefix(), SecretHash: key.Hash(), Scopes: scopes, CreatedByName: o.email,
		},
	})
	if errors.Is(err, store.ErrConflict) {
		return fmt.Errorf("an organization named %q already exists: %w", o.organization, err)
	}
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(stdout)
	encoder.SetIndent("", "  ")
	made := bootstrapped{organization.ID, person.ID, password.Reveal(), key.Secret().Reveal()}
	return encoder.Encode(made) //nolint:gosec // showing the password and the key, this once, is the command's purpose
}

// checkBootstrap checks the command line and returns the key's scopes.
func checkBootstrap(o options) (scopes []string, err error) {
	if n := utf8.RuneCountInString(o.organization); strings.TrimSpace(o.organization) == "" || n > access.MaxOrganizationName ||
		!utf8.ValidString(o.organization) || strings.ContainsFunc(o.organization, unicode.IsControl) {
		return nil, fmt.Errorf("--organization NAME must be 1 to %d characters", access.MaxOrganizationName)
	}
	if err := checkUserEmail(o); err != nil {
		return nil, err
	}
	list := auth.Scopes()
	if o.scopes != "" {
		names := strings.Split(o.scopes, ",")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		if list, err = auth.ParseScopes(names); err != nil {
			return nil, fmt.Errorf("--scopes: %w", err)
		}
	}
	for _, scope := range list {
		scopes = append(scopes, string(scope))
	}
	return scopes, nil
}
