package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// writeConfig writes the configuration of the daemons.
func (s *Stack) writeConfig(databaseURL string, platforms []*platform) error {
	roots, err := s.bundleRoots(platforms)
	if err != nil {
		return err
	}
	quoted := func(text string) string {
		b, _ := json.Marshal(text) // a string never fails; JSON is YAML
		return string(b)
	}
	var b strings.Builder
	b.WriteString("# Written by make run, which overwrites it.\n")
	if s.DatabaseURL == "" {
		file := s.keptPath("database-url")
		if err := writeSecret(file, []byte(databaseURL+"\n")); err != nil {
			return err
		}
		fmt.Fprintf(&b, "database: {url_file: %s}\n", quoted(file))
	}
	blobs := url.URL{Scheme: "file", Path: s.keptPath("blobs")}
	fmt.Fprintf(&b, "keyring_file: %s\n", quoted(s.keptPath("keyring")))
	fmt.Fprintf(&b, "public_url: %s\n", quoted(s.localURL(s.ports.APIServer)))
	fmt.Fprintf(&b, "listen: \"127.0.0.1:%d\"\n", s.ports.APIServer)
	fmt.Fprintf(&b, "debug: {syncd: \"127.0.0.1:%d\", apiserver: \"127.0.0.1:%d\", pprof: true}\n", s.ports.SyncdDebug, s.ports.APIServerDebug)
	fmt.Fprintf(&b, "egress: {region: local, cidrs: [127.0.0.1/32], allow_cidrs: [127.0.0.0/8], ca_file: %s}\n", quoted(roots))
	fmt.Fprintf(&b, "blobs: {url: %s}\n", quoted(blobs.String()))
	return errors.Join(os.MkdirAll(s.keptPath("blobs"), 0o700), writeSecret(s.keptPath("assay.yaml"), []byte(b.String())))
}

// owner is what `apiserver bootstrap` prints.
type owner struct {
	OrganizationID string `json:"organization_id"`
	UserID         string `json:"user_id"`
	Password       string `json:"password"`
	APIKey         string `json:"api_key"`
}

// prepareOwner brings the schema up to date and makes, once, the keyring and the
// first organization with its owner and key.
func (s *Stack) prepareOwner(ctx context.Context) (owner, error) {
	s.Say("migrating the database")
	if _, err := s.runAPIServer(ctx, "migrate"); err != nil {
		return owner{}, err
	}
	keyring := s.keptPath("keyring")
	if _, err := os.Stat(keyring); errors.Is(err, os.ErrNotExist) {
		out, err := s.Supervisor.Run(ctx, proc.Spec{Name: "keyring", Path: s.programPath("apiserver"), Args: []string{"keyring", "new"}, Env: s.daemonEnviron(), Dir: s.Root, Grace: daemonGrace})
		if err != nil {
			return owner{}, err
		}
		if err := writeSecret(keyring, out); err != nil {
			return owner{}, err
		}
	}
	var o owner
	path := s.keptPath("owner.json")
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		s.Say("making the organization %s with an owner and an API key", organization)
		if content, err = s.runAPIServer(ctx, "bootstrap", "--organization", organization, "--email", ownerEmail); err != nil {
			return o, err
		}
		err = writeSecret(path, content)
	}
	if err != nil {
		return o, err
	}
	if err := json.Unmarshal(content, &o); err != nil || o.APIKey == "" {
		return o, fmt.Errorf("%s holds no API key (remove it to make another organization): %w", path, err)
	}
	return o, nil
}

// runAPIServer runs a command of apiserver to its end. Flags follow the command.
func (s *Stack) runAPIServer(ctx context.Context, command string, args ...string) ([]byte, error) {
	return s.Supervisor.Run(ctx, proc.Spec{
		Name: command, Path: s.programPath("apiserver"), Args: append([]string{command, "--config", s.keptPath("assay.yaml")}, args...),
		Env: s.daemonEnviron(), Dir: s.Root, Grace: daemonGrace,
	})
}
