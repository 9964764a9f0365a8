package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/proc"
)

const (
	// buildLimit bounds a build on a slow machine with nothing cached.
	buildLimit = 30 * time.Minute
	// buildNews is how often a build that takes long says how far it is, where the
	// stack says nothing else.
	buildNews = 10 * time.Second
)

// buildPrograms builds the programs that Start starts into bin/, and shows its progress.
func (s *Stack) buildPrograms(ctx context.Context) error {
	if s.Prebuilt {
		return nil
	}
	goPath, err := exec.LookPath("go")
	if err != nil {
		return err
	}
	hint := ""
	if _, err := os.Stat(s.programPath("apiserver")); errors.Is(err, os.ErrNotExist) {
		hint = " (the first time takes a few minutes)"
	}
	s.Say("building%s", hint)
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	b := build{started: time.Now()}
	args := []string{"build", "-v"}
	if exec.CommandContext(ctx, "git", "-C", s.Root, "rev-parse", "HEAD").Run() != nil {
		// A checkout of another user's, or none of git's, has no version to stamp.
		args = append(args, "-buildvcs=false")
	}
	args = append(args, "-o", s.programPath("")+string(filepath.Separator), "./apiserver", "./syncd", "./cmd/contracttest", "./internal/dev/receiver")
	done := make(chan struct{})
	var reporting sync.WaitGroup
	reporting.Go(func() { s.reportBuild(&b, done) })
	_, err = s.Supervisor.Run(ctx, proc.Spec{Name: "build", Path: goPath, Args: args, Dir: s.Root, Grace: 5 * time.Second, Follow: b.follow})
	close(done)
	reporting.Wait()
	if err != nil {
		return err
	}
	s.Say("built in %s", time.Since(b.started).Round(100*time.Millisecond))
	return nil
}

// reportBuild says from time to time how far a build is, until it is done.
func (s *Stack) reportBuild(b *build, done <-chan struct{}) {
	news := time.NewTicker(cmp.Or(s.BuildNews, buildNews))
	defer news.Stop()
	for {
		select {
		case <-news.C:
			s.Say("%s", b.describe(time.Now()))
		case <-done:
			return
		}
	}
}

// build is how far go build is, by what it prints.
type build struct {
	started time.Time

	mu                   sync.Mutex
	downloaded, compiled int
	last                 string // module or package
}

// follow counts a line of go build -v: the path of a package that it compiles, or
// "go: downloading MODULE VERSION".
func (b *build) follow(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if module, ok := strings.CutPrefix(line, "go: downloading "); ok {
		b.downloaded++
		b.last = "downloading " + module
	} else if !strings.ContainsAny(line, " :#") {
		b.compiled++
		b.last = "compiling " + line
	}
}

// describe says how far the build is.
func (b *build) describe(now time.Time) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := fmt.Sprintf("building for %s: packages compiled: %d, modules downloaded: %d", now.Sub(b.started).Round(time.Second), b.compiled, b.downloaded)
	if b.last != "" {
		text += ", now " + b.last
	}
	return text
}
