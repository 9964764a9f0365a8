package configs

import "errors"

// Exit codes of every program of assay.
const (
	// ExitOK means that the command did what it was asked, or that a server
	// was stopped by a signal and finished its work.
	ExitOK = 0
	// ExitFailed means that the command was understood and could not be done.
	ExitFailed = 1
	// ExitUsage means that the command line or the configuration is wrong:
	// trying again without a change is of no use.
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
