package configs

import "errors"

// Exit codes of all assay programs.
const (
	// ExitOK means that the command succeeded, or that a server was stopped by a signal and
	// finished its work.
	ExitOK = 0
	// ExitFailed means that the command was valid but failed.
	ExitFailed = 1
	// ExitUsage means that the command line or the configuration is wrong: trying again without a
	// change does not help.
	ExitUsage = 2
)

// ExitCode returns the exit code for an error that ends a program: ExitUsage
// for a configuration error, ExitFailed for every other, ExitOK for nil.
func ExitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return ExitUsage
	}
	return ExitFailed
}
