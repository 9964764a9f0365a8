package access

import (
	"errors"
	"fmt"

	"github.com/assayhq/assay/store"
)

// Errors that callers branch on, beside those of package store.
var (
	// ErrKeyInUse: the API key has been revoked, or the session ended, but a
	// process that served it has not confirmed that it stopped.
	ErrKeyInUse = errors.New("API key or session still in use")
	// ErrLastOwner: without the person the organization would have no owner who
	// can sign in. It is a store.ErrConflict.
	ErrLastOwner = fmt.Errorf("%w: the last owner", store.ErrConflict)
	// ErrPasswordChanged: the password is not the one any more that was checked,
	// or the person was removed.
	ErrPasswordChanged = errors.New("password changed meanwhile")
	// ErrAmbiguous: there are several organizations, and none was named.
	ErrAmbiguous = errors.New("several organizations")
	// ErrLinkedElsewhere: another account of the provider is linked to the person.
	ErrLinkedElsewhere = errors.New("another account is linked")
)
