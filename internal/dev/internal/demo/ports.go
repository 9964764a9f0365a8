package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/assayhq/assay/internal/dev/internal/postgres"
)

// ports are the loopback ports of the stack, kept from run to run.
type ports struct {
	Postgres       int `json:"postgres"`
	Platform       int `json:"platform"`
	Partner        int `json:"partner"`
	Receiver       int `json:"receiver"`
	APIServer      int `json:"apiserver"`
	SyncdDebug     int `json:"syncd_debug"`
	APIServerDebug int `json:"apiserver_debug"`
}

// choosePorts reads the kept ports, or chooses them: the usual ones where they
// are free. A kept port that is taken is replaced, except a platform's: the
// integration in the database names it. A port for apiserver that is asked for, if
// not zero, must be free.
func choosePorts(ctx context.Context, path string, asked int, platforms []*platform) (ports, error) {
	p := ports{Platform: 8443, Partner: 8444, Receiver: 8445, APIServer: 8080, SyncdDebug: 9101, APIServerDebug: 9102}
	var kept ports
	content, err := os.ReadFile(path)
	if err == nil {
		err = errors.Join(json.Unmarshal(content, &p), json.Unmarshal(content, &kept))
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return p, fmt.Errorf("read %s (remove it to choose new ports): %w", path, err)
	}
	p.APIServer = cmp.Or(asked, p.APIServer)
	for _, port := range []*int{&p.Platform, &p.Partner, &p.Receiver, &p.APIServer, &p.SyncdDebug, &p.APIServerDebug} {
		if *port, err = postgres.FreePort(ctx, *port); err != nil {
			return p, err
		}
	}
	if asked != 0 && p.APIServer != asked {
		return p, fmt.Errorf("port %d is taken by another process or closed to you: stop that process, or give another port by --port", asked)
	}
	for _, platform := range platforms {
		if port := *platform.port(&kept); port != 0 && port != *platform.port(&p) {
			return p, fmt.Errorf("port %d, where the demo's integration expects the %s, is taken by another process: stop that one", port, platform.name)
		}
	}
	return p, p.save(path)
}

func (p ports) save(path string) error {
	content, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return writeSecret(path, append(content, '\n'))
}
