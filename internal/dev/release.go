package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/proc"
	"github.com/assayhq/assay/internal/dev/internal/release"
)

const releaseUsage = `usage: make release ARGS='[--out FOLDER] [--platform OS/ARCH]... [--version VERSION]'

Builds archives, packages, the Helm chart, the clients for JavaScript and Python, bills
of materials and checksums of the version that is tagged, or of a development version
of the next one. The same sources and tools give the same bytes.

  --out FOLDER         where they go (dist)
  --platform OS/ARCH   only this platform, such as linux/amd64; repeatable
  --version VERSION    for sources that git does not know: 0.1.0, with the time of the
                       sources in SOURCE_DATE_EPOCH
`

// releaseFlags is the command line of release.
type releaseFlags struct {
	out, version string
	platforms    []release.Platform
}

// parseRelease reads the arguments of release.
func parseRelease(args []string) (f releaseFlags, err error) {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&f.out, "out", "dist", "")
	flags.StringVar(&f.version, "version", "", "")
	flags.Func("platform", "", func(text string) error {
		for _, p := range release.Platforms() {
			if p.String() == text {
				f.platforms = append(f.platforms, p)
				return nil
			}
		}
		return fmt.Errorf("want one of %v", release.Platforms())
	})
	err = flags.Parse(args)
	switch {
	case err != nil:
		return f, fmt.Errorf("release: %w: %w", err, errUsage)
	case flags.NArg() > 0:
		return f, fmt.Errorf("release: unexpected argument %q: %w", flags.Arg(0), errUsage)
	}
	if len(f.platforms) == 0 {
		f.platforms = release.Platforms()
	}
	return f, nil
}

// runRelease is `make release`.
func runRelease(ctx context.Context, l *launcher, args []string) (err error) {
	flags, err := parseRelease(args)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(flags.out)
	if err != nil {
		return err
	}
	if err := l.openFolder(ctx, "release"); err != nil {
		return err
	}
	defer l.stopProcesses(&err)
	if err := errors.Join(l.ensureNode(ctx), l.ensurePython(ctx)); err != nil {
		return err
	}
	run := func(ctx context.Context, c release.Command) ([]byte, error) {
		path, err := exec.LookPath(c.Args[0])
		if err != nil {
			return nil, err
		}
		return l.sup.Run(ctx, proc.Spec{
			Name: "build", Path: path, Args: c.Args[1:], Env: append(os.Environ(), c.Env...), Dir: c.Dir, Grace: 10 * time.Second,
		})
	}
	version, err := release.ReadVersion(ctx, l.root, flags.version, run)
	if err != nil {
		return err
	}
	b := release.Builder{Root: l.root, Out: out, Platforms: slices.Clone(flags.platforms), Version: version, Run: run, Say: l.say}
	if err := b.Build(ctx); err != nil {
		return err
	}
	l.say("assay %s is in %s", version.Name, out)
	return nil
}
