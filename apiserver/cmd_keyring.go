package main

import (
	"context"
	"io"

	"github.com/assayhq/assay/store/seal"
)

// newKeyring prints a keyring with one new key.
func newKeyring(_ context.Context, _ options, stdout, _ io.Writer) error {
	text, err := seal.NewKeyring()
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, text)
	return err
}
