package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// platform is one that the demo starts and connects. Each step applies to all
// platforms in the list of Stack.platforms.
type platform struct {
	kind string // of its integration, and what contracttest calls it
	name string // its name for people
	// process names its process, its log, its ready file and the folder that
	// keeps its world.
	process string
	label   string            // of its integration
	kept    string            // file that remembers the integration's id
	port    func(*ports) *int // where it listens

	// The size of its world, and the number that makes its people different from
	// those of the other platforms.
	traders, trades, seed int

	faults []string

	// Set as they become known.
	log   string // of its process
	ready ready
	id    string // of its integration
}

// ready is what a platform writes into its ready file when it can answer.
type ready struct {
	BaseURL string `json:"base_url"`
	APIKey  string `json:"api_key"`
	CAFile  string `json:"ca_file"` // PEM of the root that signed its certificate
}

// listPlatforms lists what the demo reads from. The sizes are such that a first
// sync lands in some ten seconds within the budget of five requests a second:
// one that has pages of 100 gets fewer records than one that has pages of 200.
func (s *Stack) listPlatforms() []*platform {
	return []*platform{
		{
			kind: "custom_api", name: "reference platform", process: "platform", label: "Reference platform", kept: "integration",
			port: func(p *ports) *int { return &p.Platform }, traders: 500, trades: 10_000, seed: 1, faults: s.Faults,
		},
		{
			kind: "partner_platform", name: "partner platform", process: "partner", label: "Partner platform", kept: "partner-integration",
			port: func(p *ports) *int { return &p.Partner }, traders: 200, trades: 3_000, seed: 2, faults: s.PartnerFaults,
		},
	}
}

// startPlatforms starts all platforms at once and waits until they answer.
func (s *Stack) startPlatforms(ctx context.Context, platforms []*platform) error {
	for _, p := range platforms {
		if err := s.startPlatform(p); err != nil {
			return err
		}
	}
	ctx, cancel := s.whileAllRun(ctx)
	defer cancel()
	limit := time.After(readyLimit)
	for _, p := range platforms {
		for !s.readReady(p) {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-limit:
				return fmt.Errorf("the %s is not ready after %s; its log is %s", p.name, readyLimit, p.log)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// startPlatform starts the process of a platform.
func (s *Stack) startPlatform(p *platform) error {
	s.Say("starting the %s with %d traders", p.name, p.traders)
	if err := os.Remove(s.readyFile(p)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	args := []string{
		"serve", "--kind", p.kind, "--dir", s.keptPath(p.process), "--listen", fmt.Sprintf("127.0.0.1:%d", *p.port(&s.ports)),
		"--ready-file", s.readyFile(p), "--seed", strconv.Itoa(p.seed), "--traders", strconv.Itoa(p.traders), "--trades", strconv.Itoa(p.trades),
		"--speed", speed,
	}
	for _, fault := range p.faults {
		s.Say("the %s goes wrong: %s", p.name, fault)
		args = append(args, "--fault", fault)
	}
	process, err := s.Supervisor.Start(proc.Spec{Name: p.process, Path: s.programPath("contracttest"), Args: args, Dir: s.Root, Grace: 5 * time.Second})
	if err != nil {
		return err
	}
	p.log = process.Log()
	return nil
}

func (s *Stack) readyFile(p *platform) string { return s.keptPath(p.process + "-ready.json") }

// readReady reports whether a platform answers, and notes where.
func (s *Stack) readReady(p *platform) bool {
	content, err := os.ReadFile(s.readyFile(p))
	return err == nil && json.Unmarshal(content, &p.ready) == nil && p.ready.BaseURL != ""
}

// bundleRoots writes the roots of all platforms and of the webhook receiver to one
// file, because the daemons read one, and returns its path.
func (s *Stack) bundleRoots(platforms []*platform) (string, error) {
	var bundle []byte
	for _, p := range platforms {
		root, err := os.ReadFile(p.ready.CAFile)
		if err != nil {
			return "", fmt.Errorf("read the root of the %s: %w", p.name, err)
		}
		bundle = append(append(bundle, root...), '\n') // the last line may have no end
	}
	root, err := os.ReadFile(s.receiverRoot())
	if err != nil {
		return "", fmt.Errorf("read the root of the webhook receiver: %w", err)
	}
	bundle = append(bundle, root...)
	path := s.keptPath("platforms-ca.pem")
	return path, writeSecret(path, bundle)
}

// whileAllRun returns a context that ends when a process does, with its
// failure as the cause.
func (s *Stack) whileAllRun(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() { cancel(s.Supervisor.Wait(ctx)) }()
	return ctx, func() { cancel(nil) }
}
