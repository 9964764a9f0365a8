package boot

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/assayhq/assay/store"
)

// ServerLogRemark is what /readyz adds where the database server's log would hold
// names and emails: a warning for each setting, on a line of its own. The settings
// are read once a minute at most; while they cannot be, what was read last holds.
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
