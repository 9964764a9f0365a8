package access

import (
	"errors"
	"fmt"

	"github.com/assayhq/assay/store"
)

// Errors that callers branch on, in addition to those of package store.
var (
	// ErrKeyInUse means that the API key has been revoked, or the session ended, but a process that
	// served it has not confirmed that it stopped.
	ErrKeyInUse = errors.New("API key or session still in use")
	// ErrLastOwner means that without the person the organization would have no owner who can sign
	// in. It is a store.ErrConflict.
	ErrLastOwner = fmt.Errorf("%w: the last owner", store.ErrConflict)
	// ErrPasswordChanged means that the password is no longer the one that was checked, or that the
	// person was removed.
	ErrPasswordChanged = errors.New("password changed meanwhile")
	// ErrAmbiguous means that there are several organizations and none was named.
	ErrAmbiguous = errors.New("several organizations")
	// ErrLinkedElsewhere means that another account of the provider is linked to the person.
	ErrLinkedElsewhere = errors.New("another account is linked")
)
