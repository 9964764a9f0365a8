package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Version is what is released.
type Version struct {
	Name     string    // without "v", in the form of Semantic Versioning
	Revision string    // commit, or unknownRevision
	Time     time.Time // of the commit, which all files get
}

// unknownRevision stands for the commit of sources outside of a repository.
const unknownRevision = "unknown"

var (
	versionName = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
	tagName     = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(-rc\.\d+)?$`)
	heading     = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\](?: - (\S+))?`)
	dated       = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	unreleased  = regexp.MustCompile(`(?m)^## \[Unreleased\]\s+(?:[^#\s]|###)`) // with something below it
)

// ReadVersion reads the version of the sources. On a tag such as v0.1.0 or v0.1.0-rc.1 it
// is the tag's, if the changelog has it with a date, nothing is left under [Unreleased] and
// nothing has been changed since.
// Otherwise it is a development version of the next release, which is older than that.
// A name that is asked for is taken instead.
func ReadVersion(ctx context.Context, root, asked string, run func(context.Context, Command) ([]byte, error)) (Version, error) {
	git := func(args ...string) (string, error) {
		out, err := run(ctx, Command{Dir: root, Args: append([]string{"git"}, args...)})
		return strings.TrimSpace(string(out)), err
	}
	v := Version{Name: asked, Revision: unknownRevision}
	if asked != "" && !versionName.MatchString(asked) {
		return v, fmt.Errorf("--version %s: want a version such as 0.1.0 or 0.1.0-rc.1, without v", asked)
	}
	commit, err := git("log", "-1", "--format=%H %ct")
	if err != nil && asked == "" {
		return v, fmt.Errorf("git does not know these sources: give their version by --version and their time by SOURCE_DATE_EPOCH: %w", err)
	}
	revision, seconds, _ := strings.Cut(commit, " ")
	if err == nil {
		v.Revision = revision
	}
	if v.Time, err = readTime(os.Getenv("SOURCE_DATE_EPOCH"), seconds); err != nil || asked != "" {
		return v, err
	}
	tags, err := git("tag", "--points-at", "HEAD", "--list", "v*")
	if err != nil {
		return v, err
	}
	changes, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return v, err
	}
	if tags != "" {
		v.Name, err = checkTag(tags, string(changes), git)
		return v, err
	}
	earlier, err := git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname")
	if err != nil {
		return v, err
	}
	next, err := nextVersion(earlier, string(changes))
	v.Name = next + "-dev." + v.Time.Format("20060102150405")
	return v, err
}

// readTime reads the time of the sources in seconds, from the variable if it is set.
func readTime(variable, commit string) (time.Time, error) {
	text := variable
	if text == "" {
		text = commit
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, errors.New("the time of the sources is not known: set SOURCE_DATE_EPOCH to it, in seconds since 1970")
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// checkTag returns the version of a tag, if it may be released.
func checkTag(tags, changes string, git func(...string) (string, error)) (string, error) {
	m := tagName.FindStringSubmatch(tags)
	if m == nil {
		return "", fmt.Errorf("tags %q: a release has one tag of the form v0.1.0 or v0.1.0-rc.1", strings.Fields(tags))
	}
	if state, err := git("status", "--porcelain"); err != nil || state != "" {
		return "", errors.Join(fmt.Errorf("the sources differ from tag %s: commit the changes and move the tag, or stash them:\n%s", tags, state), err)
	}
	if m[2] != "" {
		return m[1] + m[2], nil // a candidate is of a version that has no date yet
	}
	if unreleased.MatchString(changes) {
		return "", fmt.Errorf("CHANGELOG.md has entries under [Unreleased], which tag %s would release: move them to its section, commit, and move the tag", tags)
	}
	for _, h := range heading.FindAllStringSubmatch(changes, -1) {
		if h[1] == m[1] && dated.MatchString(h[2]) {
			return m[1], nil
		}
	}
	return "", fmt.Errorf("CHANGELOG.md has no \"## [%s] - YYYY-MM-DD\" for tag %s: give the version its section and its date, commit, and move the tag", m[1], tags)
}

// nextVersion returns the version after the newest tag, or the changelog's newest one
// where there is no tag yet.
func nextVersion(tags, changes string) (string, error) {
	for tag := range strings.FieldsSeq(tags) {
		m := tagName.FindStringSubmatch(tag)
		if m == nil || m[2] != "" {
			continue
		}
		dot := strings.LastIndex(m[1], ".")
		patch, err := strconv.Atoi(m[1][dot+1:])
		return fmt.Sprintf("%s.%d", m[1][:dot], patch+1), err
	}
	if h := heading.FindStringSubmatch(changes); h != nil {
		return h[1], nil
	}
	return "", errors.New("CHANGELOG.md has no heading of a version, such as ## [0.1.0]")
}
