package review

import (
	"errors"
	"fmt"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
)

// Errors of reviews. If one is returned, nothing was changed.
var (
	// ErrNothingToReport means that the interview was not held, or that the trader left no answer.
	ErrNothingToReport = fmt.Errorf("%w: nothing to report on", interviews.ErrInvalidState)
	// ErrUnknownClaim means that the newest report has no such statement.
	ErrUnknownClaim = fmt.Errorf("%w: no such statement", store.ErrNotFound)
	// ErrNotAuthor means that somebody else wrote the comment.
	ErrNotAuthor = errors.New("written by somebody else")
	// ErrNoActivityFile means that no activity file was uploaded.
	ErrNoActivityFile = fmt.Errorf("%w: no activity file", store.ErrNotFound)
)
