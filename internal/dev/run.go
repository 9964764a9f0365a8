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
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/assayhq/assay/internal/dev/internal/demo"
)

const runUsage = `usage: make run ARGS='[--port PORT] [--dir FOLDER] [--open] [--fault NAME[,OPTION=VALUE]...]... [--partner-fault NAME[,OPTION=VALUE]...]...'

Starts a private Postgres, the reference platform, the simulator of a partner
platform, syncd and apiserver, connects both platforms, makes sample interviews,
and keeps all of it running until Ctrl-C. The next start continues from there.

  --port PORT
        where the API and the dashboard listen (8080, or a free port if that is
        taken). The next start keeps the port.
  --dir FOLDER
        where the data and the logs are (.data/run). Each folder has its own database
        and organization, so several can run at a time.
  --open
        open the dashboard in the browser when it is ready
  --fault NAME[,OPTION=VALUE]...
        make the reference platform fail in this way, to see how assay reports it: in
        the integration's health_status and last_error, its runs, its quarantine and
        its findings. Repeatable. The next start without it has a platform that works
        again.
  --partner-fault NAME[,OPTION=VALUE]...
        make the partner platform fail in this way. Repeatable.

Examples:
  make run ARGS='--port 9000 --dir /tmp/assay --open'
        starts a second one beside that of the checkout
  make run ARGS='--fault status-500,endpoint=/trades'
        answers every request for trades with 500
  make run ARGS='--fault status-429,endpoint=/trades,times=3,value=2 --fault slow,probability=0.1,delay=3s'
        throttles the first three of them for two seconds each, and is slow now and then
  make run ARGS='--partner-fault status-500,endpoint=/v1/trades/closed'
        answers every request for the partner's closed trades with 500
  make build && bin/contracttest serve --list-faults
        lists all faults, and with --kind partner_platform those of the partner platform;
        bin/contracttest serve --help has their options
`

// run is `make run`.
func run(ctx context.Context, l *launcher, flags runFlags) (err error) {
	dir := filepath.Join(l.root, ".data", "run")
	if flags.dir != "" {
		if dir, err = filepath.Abs(flags.dir); err != nil {
			return err
		}
	}
	if err := checkRunFolder(dir); err != nil {
		return err
	}
	if err := l.openDir(ctx, dir); err != nil {
		return err
	}
	defer l.stopProcesses(&err)
	defer l.end()
	go l.tick(ctx)
	stack := demo.Stack{
		Root: l.root, Dir: l.dir, Supervisor: l.sup, Say: l.move,
		DatabaseURL: os.Getenv("ASSAY_DATABASE_URL"), Environ: os.Environ(), Port: flags.port,
		Recordings: len(missingPrograms(recordingPrograms())) == 0,
		Faults:     flags.faults, PartnerFaults: flags.partnerFaults,
	}
	summary, err := stack.Start(ctx)
	if err != nil {
		return err
	}
	l.end()
	out := newProgress(os.Stdout, os.Getenv)
	first, rest, _ := strings.Cut(summary, "\n")
	if missing := explainMissing(); missing != "" {
		rest += "\n" + missing
	}
	fmt.Print("\n" + out.paint(bold+green, first) + "\n" + rest + "\nCtrl-C stops everything; make run continues from here.\n")
	if flags.open {
		l.openBrowser(stack.Dashboard())
	}
	return l.sup.Wait(ctx)
}

// checkRunFolder refuses a folder that holds anything but what an earlier run left, so that
// --dir does not mix its files into somebody's own.
func checkRunFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--dir: %w: give a folder that is empty or not there yet", err)
	}
	if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "logs" || e.Name() == "ports.json" }) {
		return fmt.Errorf("--dir: %s holds files of something else: give a folder that is empty or not there yet", dir)
	}
	return nil
}

// openBrowser opens a page in the user's browser, or says where it is.
func (l *launcher) openBrowser(address string) {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	cmd := exec.Command(opener, address) //nolint:noctx // the browser stays when the launcher ends
	if err := cmd.Start(); err != nil {
		l.say("cannot open a browser (%v): open %s yourself", err, address)
		return
	}
	go func() {
		if err := cmd.Wait(); err != nil {
			l.say("cannot open a browser (%s: %v): open %s yourself", opener, err, address)
		}
	}()
}

// runFlags is the command line of run. The platforms know whether their faults make
// sense.
type runFlags struct {
	port                  int
	dir                   string
	open                  bool
	faults, partnerFaults []string
}

// parseRun reads the arguments of run.
func parseRun(args []string) (f runFlags, err error) {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("port", "", func(text string) error {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return errors.New("want a number from 1 to 65535")
		}
		f.port = int(port)
		return nil
	})
	flags.StringVar(&f.dir, "dir", "", "")
	flags.BoolVar(&f.open, "open", false, "")
	for name, faults := range map[string]*[]string{"fault": &f.faults, "partner-fault": &f.partnerFaults} {
		flags.Func(name, "", func(fault string) error {
			*faults = append(*faults, fault)
			return nil
		})
	}
	err = flags.Parse(args)
	switch {
	case err != nil:
		text := regexp.MustCompile(`(flag|defined:|argument:) -`).ReplaceAllString(err.Error(), "$1 --") // as the usage writes them
		return f, fmt.Errorf("run: %s: %w", text, errUsage)
	case flags.NArg() > 0:
		return f, fmt.Errorf("run: unexpected argument %q: %w", flags.Arg(0), errUsage)
	}
	return f, nil
}
