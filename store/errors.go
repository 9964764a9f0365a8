package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Errors that callers branch on. They are wrapped with the operation and the ids that it concerns.
var (
	// ErrNotFound means that there is no such row, or that it belongs to another organization.
	ErrNotFound = errors.New("not found")
	// ErrConflict means that a row that must be unique exists already.
	ErrConflict = errors.New("conflict")
	// ErrFenced means that another process has taken over the lease of the change, or that the
	// lease was taken back. Nothing was written.
	ErrFenced = errors.New("lease lost")
	// ErrInactive means that the integration is switched off.
	ErrInactive = errors.New("integration is inactive")
	// ErrBlocked means that the integration needs a successful live check first.
	ErrBlocked = errors.New("integration is blocked")
	// ErrKeyRevoked means that the API key in whose name the change was made has been revoked.
	// Nothing was written.
	ErrKeyRevoked = errors.New("API key revoked")
	// ErrSessionEnded means that the session in whose name the change was made has ended. Nothing
	// was written.
	ErrSessionEnded = errors.New("session ended")
	// ErrLegalHold means that a legal hold prevents the deletion.
	ErrLegalHold = errors.New("legal hold")
	// ErrSchemaOld means that the database lacks migrations that this binary needs.
	ErrSchemaOld = errors.New("the database schema is older than this binary needs: run `apiserver migrate`")
)

// Classes and codes of SQLSTATE that the package distinguishes.
const (
	StateUniqueViolation = "23505"
	stateUndefinedTable  = "42P01"
	StateDivisionByZero  = "22012"
	StateNegativeRoot    = "2201F"
	stateLockTimeout     = "55P03"
	stateNoPrivilege     = "42501"
	stateNoDatabase      = "3D000"
	stateBadPassword     = "28P01"
	stateNoAccess        = "28000" // pg_hba.conf, or no such user
	stateNoParameter     = "42704" // or no other object, except while a connection is made
	StateQueryCanceled   = "57014" // by a timeout or on request
	classConnection      = "08"
	classResources       = "53" // disk full, out of memory, too many connections
)

// Transient reports whether repeating the call may succeed: the connection broke or was refused, the
// server was restarted or became a standby, or the transaction lost against a concurrent one. A call
// that ended with the caller's own context is not transient.
func Transient(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	var connect *pgconn.ConnectError
	connecting := errors.As(err, &connect)
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return transientState(pg.Code) || connecting
	}
	var network net.Error
	switch {
	case connecting, errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return true
	case errors.Is(err, context.DeadlineExceeded):
		return false
	}
	found := errors.As(err, &network)
	_, ofFile := network.(syscall.Errno) // the network's are in a net.OpError
	return found && !ofFile || pgconn.SafeToRetry(err)
}

// transientState reports whether the SQLSTATE names a temporary condition.
func transientState(code string) bool {
	switch code {
	case "57P01", "57P02", "57P03", // the server is stopping, has crashed, is starting
		"25006", "0A000", // a standby, the latter of an unlogged table: another server accepts writes by now
		"25P03",          // this process was frozen in the middle of a transaction
		"40001", "40P01", // lost against a concurrent transaction
		stateLockTimeout: // waited for one
		return true
	}
	return strings.HasPrefix(code, classConnection) || strings.HasPrefix(code, classResources)
}

// Refused reports whether the server refused the process's user, password or database, or a
// parameter of its URL. That passes while a process runs, as when a password is changed, but is a
// mistake when it starts.
func Refused(err error) bool {
	var connect *pgconn.ConnectError
	var pg *pgconn.PgError
	if !errors.As(err, &connect) || !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case stateNoPrivilege, stateNoDatabase, stateBadPassword, stateNoAccess, stateNoParameter:
		return true
	}
	return false
}

// WrapError adds the operation and its ids to an error, once, and turns a missing row into
// ErrNotFound. The format must contain no secret.
func WrapError(err *error, format string, args ...any) {
	if *err == nil {
		return
	}
	if errors.Is(*err, sql.ErrNoRows) || errors.Is(*err, pgx.ErrNoRows) {
		*err = ErrNotFound
	}
	*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
}

// addAdvice adds to an error of the server what an operator has to do about it. privilege is the advice
// if the user lacks one.
func addAdvice(err *error, privilege string) {
	var pg *pgconn.PgError
	if !errors.As(*err, &pg) {
		return
	}
	advice := map[string]string{
		stateNoPrivilege: privilege,
		stateNoDatabase:  "create the database, or correct its name in database.url",
		stateBadPassword: "correct user and password in database.url",
		stateNoAccess:    "correct the user in database.url, or allow it in the server's pg_hba.conf",
	}[pg.Code]
	if pg.Code == stateNoParameter && Refused(*err) {
		advice = "correct or remove the parameter after ? in database.url"
	}
	if advice != "" {
		*err = fmt.Errorf("%w: %s", *err, advice)
	}
}

// maxErrorText limits the stored length of an error, in bytes.
const maxErrorText = 2000

// ErrorText returns the text of an error as it is stored. What a program or a server has said may
// be long, and contain what Postgres does not store: zero bytes and invalid UTF-8.
func ErrorText(err error) string {
	text := strings.ReplaceAll(err.Error(), "\x00", "")
	return strings.ToValidUTF8(text[:min(len(text), maxErrorText)], "")
}

// HasState reports whether err comes from the server and has that SQLSTATE.
func HasState(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

// IgnoreNoRows returns nil if the error is that a row no longer exists.
func IgnoreNoRows(err error) error {
	if IsNoRows(err) {
		return nil
	}
	return err
}

// IsNoRows reports whether a statement that selects one row found none.
func IsNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
