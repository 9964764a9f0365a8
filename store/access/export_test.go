package access

import (
	"context"
	"time"

	"github.com/assayhq/assay/store"
)

// AdmitWithin is AdmitAPIKey with another limit.
func AdmitWithin(ctx context.Context, db *store.DB, secretHash [32]byte, limit int, window time.Duration) (Admission, error) {
	return admitAPIKey(ctx, db, secretHash, limit, window)
}

// ForgetWindowsAfter is ForgetIdleWindows with another time.
func ForgetWindowsAfter(ctx context.Context, db *store.DB, idle time.Duration) (int64, error) {
	return forgetIdleWindows(ctx, db, idle)
}

// AdmitSessionWithin is AdmitSession with another limit, of at most RateLimit.
func AdmitSessionWithin(ctx context.Context, db *store.DB, tokenHash [32]byte, limit int, window time.Duration) (SessionAdmission, error) {
	return admitSession(ctx, db, tokenHash, limit, window)
}
