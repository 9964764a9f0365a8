package problem

import (
	"errors"

	"github.com/assayhq/assay/store"
)

// ExplainConflict says what a conflict is about.
func ExplainConflict(err error, detail string) error {
	if errors.Is(err, store.ErrConflict) {
		return &Problem{Code: Conflict, Detail: detail, Cause: err}
	}
	return err
}

// ExplainTaken says which member of the body has a value that another object has, if err is such a conflict.
func ExplainTaken(err error, detail string, members ...string) error {
	if !errors.Is(err, store.ErrConflict) {
		return err
	}
	return NewTaken(Conflict, err, detail, members...)
}

// NewTaken returns a problem about the member of the body, which has a value that another object has.
func NewTaken(code Code, cause error, detail string, members ...string) *Problem {
	fault := Fault{Pointer: PointerTo(members...).String(), Code: Taken, Detail: detail}
	return &Problem{Code: code, Detail: detail, Faults: []Fault{fault}, Cause: cause}
}

// PointerTo returns the pointer to a member of the body, or of its members.
func PointerTo(members ...string) Pointer {
	at := Pointer{}
	for _, m := range members {
		at = at.Member(m)
	}
	return at
}
