// Package answer holds what all connectors have in common when they decode answers:
// what a body that cannot be read means for the request, and how a record that
// cannot be used is described.
package answer

import (
	"errors"
	"fmt"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
)

// Lists are the members of a page that may hold its records. The contract's own
// comes first.
func Lists() []string { return []string{"data", "items", "results", "records"} }

// Error converts a decoding error of package alias into the error that a decoder of
// fetch.Platform.Get must return. A body with broken syntax is requested again
// (fetch.ErrBroken), a page with too many records is too large, and anything else
// is an unexpected response. nil stays nil, and a *connectors.Error is returned as
// it is.
func Error(err error) error {
	if err == nil {
		return nil
	}
	var known *connectors.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, alias.ErrSyntax):
		return fmt.Errorf("%w: %w", fetch.ErrBroken, err)
	case errors.Is(err, alias.ErrTooManyRecords):
		return &connectors.Error{Code: connectors.CodeResponseTooLarge, Message: err.Error(), Err: err}
	}
	return &connectors.Error{Code: connectors.CodeUnexpectedResponse, Message: err.Error(), Err: err}
}

// Describe says in one line why a record cannot be used.
func Describe(r record.Rejected) string {
	where := r.Pointer
	if where == "" {
		where = "the record"
	}
	return fmt.Sprintf("%s (%s at %s)", r.Detail, r.Rule, where)
}
