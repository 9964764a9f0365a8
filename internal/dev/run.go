package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/assayhq/assay/internal/dev/internal/demo"
)

const runUsage = `usage: dev run [--fault NAME[,OPTION=VALUE]...]... [--partner-fault NAME[,OPTION=VALUE]...]...

Starts a private Postgres, the reference platform, the simulator of a partner
platform, syncd and apiserver, connects both platforms, and keeps all of it
running until Ctrl-C. The next start goes on from there.

  --fault NAME[,OPTION=VALUE]...
        let the reference platform go wrong in this way, to see what assay makes of
        it: in the integration's health_status and last_error, its runs, its
        quarantine and its findings. Repeatable. The next start without it has a
        platform that works again.
  --partner-fault NAME[,OPTION=VALUE]...
        let the partner platform go wrong in this way. Repeatable.

Examples:
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
	if err := l.openFolder(ctx, "run"); err != nil {
		return err
	}
	defer l.stopProcesses(&err)
	stack := demo.Stack{
		Root: l.root, Dir: l.dir, Supervisor: l.sup, Say: l.say,
		DatabaseURL: os.Getenv("ASSAY_DATABASE_URL"), Environ: os.Environ(),
		Faults: flags.faults, PartnerFaults: flags.partnerFaults,
	}
	summary, err := stack.Start(ctx)
	if err != nil {
		return err
	}
	fmt.Print("\n" + summary + "\nCtrl-C stops everything; make run goes on from here.\n")
	return l.sup.Wait(ctx)
}

// runFlags is the command line of run: what goes wrong with which platform. The
// platforms know whether their faults make sense.
type runFlags struct {
	faults, partnerFaults []string
}

// parseRun reads the arguments of run.
func parseRun(args []string) (f runFlags, err error) {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for name, faults := range map[string]*[]string{"fault": &f.faults, "partner-fault": &f.partnerFaults} {
		flags.Func(name, "", func(fault string) error {
			*faults = append(*faults, fault)
			return nil
		})
	}
	err = flags.Parse(args)
	switch {
	case err != nil:
		return f, fmt.Errorf("run: %w: %w", err, errUsage)
	case flags.NArg() > 0:
		return f, fmt.Errorf("run: unexpected argument %q: %w", flags.Arg(0), errUsage)
	}
	return f, nil
}
