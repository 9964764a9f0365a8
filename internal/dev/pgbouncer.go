package main

import (
	"context"
	"errors"
	"os/exec"

	"github.com/assayhq/assay/internal/dev/internal/distro"
)

// ensurePooler finds or installs PgBouncer. Where that cannot be done, the test
// that needs it is skipped, but not in CI.
func (l *launcher) ensurePooler(ctx context.Context) error {
	if hasPooler() {
		return nil
	}
	err := distro.Install(ctx, l.sup, distro.Need{What: "PgBouncer", Deb: []string{"pgbouncer"}, Brew: []string{"pgbouncer"}}, l.say)
	if err == nil && !hasPooler() {
		err = errors.New("the package of PgBouncer brought no pgbouncer")
	}
	return l.orSkip(ctx, err, "the test behind a pooler is skipped")
}

// hasPooler looks for it in the PATH, and where Debian puts it.
func hasPooler() bool {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}
