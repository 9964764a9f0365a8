package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strings"
)

// serveFlags holds the command line of serve.
type serveFlags struct {
	listen      string
	hosts       list
	dir         string
	readyFile   string
	key         string
	keyFile     string
	kind        string
	world       world
	faults      list
	listFaults  bool
	logRequests bool

	given map[string]bool // flags set on the command line
}

// list is a flag that can be repeated.
type list []string

func (l *list) String() string     { return strings.Join(*l, ", ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

const serveUsage = `Serves a platform over HTTPS, with generated traders, accounts, trades and
payouts that live on while it runs: the reference implementation of the customer
platform contract, or, with --kind partner_platform, a simulation of the
third-party trading platform, which pages by number and spells its records in
many ways.

Usage: contracttest serve [flags]

What must stay the same from one start to the next is kept in --dir: ca.pem (to
be trusted by clients), cert.pem, key.pem, api-key, and state.json with the
platform's kind and the world's seed, start and size. Started again with the same
--dir, it shows the same records, as they are by then.

Flags:
`

const serveExamples = `
Examples:
  contracttest serve
        A platform on https://127.0.0.1:8443; then
        curl --cacert .contracttest/ca.pem -H "Authorization: Bearer $(cat .contracttest/api-key)" https://127.0.0.1:8443/health
  contracttest serve --listen 127.0.0.1:0 --ready-file ready.json --trades 1000000 --speed 60
        A large and fast one on a free port; base_url, api_key and ca_file are in ready.json once it answers.
  contracttest serve --fault status-429,endpoint=/trades,times=3,value=2 --fault slow,probability=0.1,delay=3s
        One that throttles the first three requests for trades and is slow now and then.
  contracttest serve --list-faults
        What else can go wrong; with --kind partner_platform, what can there.
  contracttest serve --kind partner_platform --dir .partner --listen 127.0.0.1:8444 --dialect seeded --totals none
        A third-party platform that spells every record differently and reports no totals.

Exit codes: 0 stopped by SIGINT or SIGTERM, 1 failed, 2 invalid command line.
`

// parseServe reads the command line. It returns flag.ErrHelp for --help.
func parseServe(args []string, stdout io.Writer) (*serveFlags, error) {
	f := &serveFlags{given: make(map[string]bool)}
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	f.defineFlags(set)
	err := set.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, serveUsage)
		set.VisitAll(func(fl *flag.Flag) { printFlag(stdout, fl) })
		fmt.Fprint(stdout, serveExamples)
		return nil, err
	}
	if err != nil {
		return nil, usageError{err}
	}
	set.Visit(func(fl *flag.Flag) { f.given[fl.Name] = true })
	return f, f.validateFlags(set.Args())
}

// defineFlags declares the flags with their defaults.
func (f *serveFlags) defineFlags(set *flag.FlagSet) {
	f.world.defineFlags(set)
	set.StringVar(&f.listen, "listen", "127.0.0.1:8443", "`ADDRESS` to listen on; port 0 takes a free one, the same as last time when it can")
	set.Var(&f.hosts, "host", "further host `NAME` or address for the certificate, which always covers loopback; repeatable")
	set.StringVar(&f.dir, "dir", ".contracttest", "`DIR` that keeps certificate, key and state")
	set.StringVar(&f.readyFile, "ready-file", "", "`FILE` to write {base_url, api_key, ca_file} to once the platform answers; removed at the end")
	set.StringVar(&f.key, "key", "", "API `KEY`, visible to other users of the machine; prefer --key-file")
	set.StringVar(&f.keyFile, "key-file", "", "`FILE` that holds the API key (default: create one and keep it in DIR/api-key)")
	set.StringVar(&f.kind, "kind", customAPI, "`KIND` of platform: custom_api, a customer's own, or partner_platform, the third party's")
	set.Var(&f.faults, "fault", "`NAME[,OPTION=VALUE]...` of a fault to switch on, with the options endpoint, after, times, probability, every, delay, size and value; repeatable")
	set.BoolVar(&f.listFaults, "list-faults", false, "print every fault of the kind with its description and exit")
	set.BoolVar(&f.logRequests, "log-requests", false, "print a line for each request to standard error")
}

// printFlag prints one flag of the help, in the form used in the examples. It leaves a text that
// states its default unchanged.
func printFlag(w io.Writer, fl *flag.Flag) {
	value, text := flag.UnquoteUsage(fl)
	line := "  --" + fl.Name
	if value != "" {
		line += " " + value
	}
	if fl.DefValue != "" && fl.DefValue != "false" && !strings.Contains(text, "(default ") {
		text += " (default " + fl.DefValue + ")"
	}
	fmt.Fprintf(w, "%s\n        %s\n", line, text)
}

// validateFlags checks flags that depend on each other.
func (f *serveFlags) validateFlags(rest []string) error {
	if len(rest) > 0 {
		return usagef("unexpected argument %q", rest[0])
	}
	kind, err := kindOf(f.kind)
	if err != nil {
		return err
	}
	for _, name := range partnerFlags() {
		if f.given[name] && f.kind != partnerPlatform {
			return usagef("--%s is for --kind %s", name, partnerPlatform)
		}
	}
	if f.kind != partnerPlatform {
		f.world.Dialect, f.world.Totals = "", ""
	}
	if f.given["key"] && f.given["key-file"] {
		return usagef("--key and --key-file cannot be used together")
	}
	if f.given["key"] && strings.TrimSpace(f.key) == "" {
		return usagef("--key is empty")
	}
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return usagef("--listen %q must be HOST:PORT, such as 127.0.0.1:8443", f.listen)
	}
	if f.dir == "" {
		return usagef("--dir is empty")
	}
	if err := kind.validate(&f.world); err != nil {
		return usageError{err}
	}
	empty, _, err := kind.simulate(&world{}, "none", nil)
	if err != nil {
		return err
	}
	if err := setFaults(empty, f.faults); err != nil {
		return usageError{err}
	}
	return nil
}
