package chaostest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// baseVariable names the revision of the earlier version. By default it is the newest one that lacks
// the latest change of the migrations.
const baseVariable = "ASSAY_TEST_CHAOS_BASE"

// ErrNoHistory reports that the repository does not have the earlier version.
var ErrNoHistory = errors.New("the repository does not have the earlier version, or is none")

// ExtractEarlier writes the earlier version into the folder, and returns its revision. repository is
// the folder of the current version.
func ExtractEarlier(repository, folder string) (revision string, err error) {
	base := os.Getenv(baseVariable)
	if base == "" {
		latest, err := readOutput("git", "-C", repository, "log", "-1", "--format=%H", "--", "store/migrations/*.sql")
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrNoHistory, err)
		}
		base = latest + "^"
	}
	// A shallow clone lacks the revision before its first.
	if revision, err = readOutput("git", "-C", repository, "rev-parse", "--short", "--verify", base+"^{commit}"); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoHistory, err)
	}
	archive := filepath.Join(folder, "earlier.tar")
	if _, err := readOutput("git", "-C", repository, "archive", "-o", archive, revision); err != nil {
		return "", err
	}
	_, err = readOutput("tar", "-xf", archive, "-C", folder)
	return revision, errors.Join(err, os.Remove(archive))
}

// readOutput runs a program and returns what it writes.
func readOutput(name string, args ...string) (string, error) {
	var stderr strings.Builder
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(string(out)), err
}
