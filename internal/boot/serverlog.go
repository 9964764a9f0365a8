package boot

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/assayhq/assay/store"
)

// ServerLogRemark returns what /readyz adds if the database server's log would
// contain names and emails: a warning for each setting, on a line of its own. It
// reads the settings at most once a minute, and keeps the last ones while they
// cannot be read.
func ServerLogRemark(db *store.DB) func(context.Context) string {
	const life, limit = time.Minute, time.Second
	var (
		mu     sync.Mutex
		read   time.Time
		remark string
	)
	return func(ctx context.Context) string {
		mu.Lock()
		defer mu.Unlock()
		if !read.IsZero() && time.Since(read) < life {
			return remark
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		if warnings, err := db.LogWarnings(ctx); err == nil {
			read, remark = time.Now(), strings.Join(warnings, "\n")
		}
		return remark
	}
}
