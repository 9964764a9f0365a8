package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// shownUser is a person as the commands print it.
type shownUser struct {
	UserID       uuid.UUID   `json:"user_id"`
	Email        string      `json:"email"`
	Name         string      `json:"name"`
	Role         access.Role `json:"role"`
	LastSignInAt *time.Time  `json:"last_sign_in_at"`    // null if the person never signed in
	Password     string      `json:"password,omitempty"` // a new password, which cannot be read again
}

func shownUserOf(p access.Person, password string) shownUser {
	return shownUser{p.ID, p.Email, p.Name, p.Role, p.LastSignInAt, password}
}

// userCommand returns a command about the people of an organization, which prints the result of
// run.
func userCommand(check func(o options) error, run func(ctx context.Context, db *store.DB, c store.Change, o options) (any, error)) func(context.Context, options, io.Writer, io.Writer) error {
	return func(ctx context.Context, o options, stdout, _ io.Writer) error {
		if err := check(o); err != nil {
			return fmt.Errorf("%w: %w", errUsage, err)
		}
		config, err := loadConfig(o, "database.url")
		if err != nil {
			return err
		}
		db, err := openForCommand(ctx, config, "apiserver user", nil) // the command seals nothing
		if err != nil {
			return err
		}
		defer db.Close()
		organization, err := access.FindOrganization(ctx, db, o.organization)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return fmt.Errorf("the organization does not exist: %w", err)
		case errors.Is(err, access.ErrAmbiguous):
			return errors.New("there are several organizations. Choose one with --organization NAME")
		case err != nil:
			return err
		}
		c := store.Change{OrganizationID: organization.ID, By: "apiserver user"}
		printed, err := run(ctx, db, c, o)
		if err != nil {
			return explainUser(err, o)
		}
		encoder := json.NewEncoder(stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(printed)
	}
}

// explainUser explains an error in terms of the command line.
func explainUser(err error, o options) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("no person in the organization has the email %s: %w", o.email, err)
	case errors.Is(err, access.ErrLastOwner):
		return fmt.Errorf("%s is the organization's last owner. Make someone else an owner first: %w", o.email, err)
	case errors.Is(err, store.ErrConflict):
		return fmt.Errorf("a person in the organization already has the email %s: %w", o.email, err)
	case errors.Is(err, access.ErrKeyInUse):
		return fmt.Errorf("a server that served %s has not confirmed that it stopped; run the command again: %w", o.email, err)
	}
	return err
}

// userFlags registers the named flags.
func userFlags(f *flag.FlagSet, o *options, names []string) {
	for _, name := range names {
		switch name {
		case "no-password":
			f.BoolVar(&o.noPassword, name, false, "")
		default:
			f.StringVar(map[string]*string{"email": &o.email, "role": &o.role, "name": &o.name}[name], name, "", "")
		}
	}
}

func listUsers(ctx context.Context, db *store.DB, c store.Change, _ options) (any, error) {
	people, err := access.ListPeople(ctx, db, c.OrganizationID)
	list := make([]shownUser, len(people))
	for i, p := range people {
		list[i] = shownUserOf(p, "")
	}
	return list, err
}

func addUser(ctx context.Context, db *store.DB, c store.Change, o options) (any, error) {
	n := access.NewPerson{Email: o.email, Name: cmp.Or(o.name, o.email), Role: access.Role(o.role)}
	if o.noPassword {
		p, err := access.CreatePerson(ctx, db, c, n)
		return shownUserOf(p, ""), err
	}
	password := auth.NewPassword()
	hash, err := auth.HashPassword(password)
	if err != nil {
		return nil, err
	}
	n.PasswordHash = hash
	p, err := access.CreatePerson(ctx, db, c, n)
	return shownUserOf(p, password.Reveal()), err
}

func setUserRole(ctx context.Context, db *store.DB, c store.Change, o options) (any, error) {
	p, err := access.FindPersonByEmail(ctx, db, c.OrganizationID, o.email)
	if err != nil {
		return nil, err
	}
	role := access.Role(o.role)
	p, err = access.UpdatePerson(ctx, db, c, p.ID, access.PersonPatch{Role: &role})
	return shownUserOf(p, ""), err
}

func setUserPassword(ctx context.Context, db *store.DB, c store.Change, o options) (any, error) {
	p, err := access.FindPersonByEmail(ctx, db, c.OrganizationID, o.email)
	if err != nil {
		return nil, err
	}
	password := auth.NewPassword()
	hash, err := auth.HashPassword(password)
	if err != nil {
		return nil, err
	}
	p, err = access.SetPassword(ctx, db, c, p.ID, hash)
	return shownUserOf(p, password.Reveal()), err
}

func removeUser(ctx context.Context, db *store.DB, c store.Change, o options) (any, error) {
	p, err := access.FindPersonByEmail(ctx, db, c.OrganizationID, o.email)
	if err != nil {
		return nil, err
	}
	return shownUserOf(p, ""), access.RemovePerson(ctx, db, c, p.ID, nil)
}

func checkNothing(options) error { return nil }

func checkNewUser(o options) error {
	if n := utf8.RuneCountInString(o.name); n > access.MaxPersonName || o.name != "" && decode.Blank(o.name) ||
		!utf8.ValidString(o.name) || slices.ContainsFunc([]rune(o.name), unicode.IsControl) {
		return fmt.Errorf("--name NAME must be 1 to %d characters", access.MaxPersonName)
	}
	return checkUserRole(o)
}

func checkUserRole(o options) error {
	if !slices.Contains(access.Roles(), access.Role(o.role)) {
		return fmt.Errorf("--role ROLE must be one of %v", access.Roles())
	}
	return checkUserEmail(o)
}

func checkUserEmail(o options) error {
	if !decode.IsEmail(o.email) {
		return fmt.Errorf("--email ADDRESS must be a plain email address of at most %d characters, such as owner@example.com", decode.MaxEmail)
	}
	return nil
}
