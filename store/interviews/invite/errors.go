package invite

import (
	"errors"
	"fmt"

	"github.com/assayhq/assay/store/interviews"
)

// Errors of invites. If one is returned, nothing was changed.
var (
	// ErrDeclined means that the trader has declined.
	ErrDeclined = fmt.Errorf("%w: declined", interviews.ErrInvalidState)
	// ErrOpen means that the interview is not over.
	ErrOpen = fmt.Errorf("%w: still open", interviews.ErrInvalidState)
	// ErrReferenceTaken means that another interview of the organization has the reference.
	ErrReferenceTaken = errors.New("reference taken")
	// ErrUnknownTrader means that the organization has no such trader.
	ErrUnknownTrader = errors.New("unknown trader")
	// ErrUnknownAccount means that an account does not belong to the trader.
	ErrUnknownAccount = errors.New("unknown account")
)
