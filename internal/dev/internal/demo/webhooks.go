package demo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/proc"
	"github.com/assayhq/assay/internal/dev/internal/receiver"
)

// Kept files of the receiver. Its certificate is in the folder of its name.
const (
	receiverName = "receiver"
	endpointFile = "webhook-endpoint" // id of the endpoint
	secretFile   = "webhook-secret"
)

func (s *Stack) receiverURL() string { return fmt.Sprintf("https://127.0.0.1:%d", s.ports.Receiver) }

// receiverRoot returns the file of the certificate that makes the receiver trusted.
func (s *Stack) receiverRoot() string {
	return s.keptPath(receiverName + string(os.PathSeparator) + receiver.CertificateFile)
}

// startReceiver starts the webhook receiver and waits until it listens.
func (s *Stack) startReceiver(ctx context.Context) error {
	s.Say("starting the webhook receiver")
	address := fmt.Sprintf("127.0.0.1:%d", s.ports.Receiver)
	p, err := s.Supervisor.Start(proc.Spec{
		Name: receiverName, Path: s.programPath(receiverName), Dir: s.Root, Grace: 5 * time.Second,
		Args: []string{"--listen", address, "--dir", s.keptPath(receiverName), "--secret-file", s.keptPath(secretFile)},
	})
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	// Another program may have the port, so only a completed handshake counts.
	dialer := tls.Dialer{NetDialer: new(net.Dialer), Config: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}} //nolint:gosec // nothing is sent
	for {
		conn, err := dialer.DialContext(limited, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-p.Done():
			return p.Failure()
		case <-time.After(20 * time.Millisecond):
		case <-limited.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &proc.Failure{Name: p.Name(), How: fmt.Sprintf("not ready after %s: %v", readyLimit, err), Log: p.Log(), Tail: p.Tail()}
		}
	}
}

// endpoint is a webhook endpoint as the API shows it.
type endpoint struct {
	ID             string `json:"id"`
	URL            string `json:"url"`
	IsActive       bool   `json:"is_active"`
	DisabledReason string `json:"disabled_reason"`
	Secret         string `json:"secret"`
}

// ensureEndpoint finds the receiver's endpoint, or makes it. An endpoint that does
// not work does not stop the start, because a user of the API may have changed it
// on purpose.
func (s *Stack) ensureEndpoint(ctx context.Context, api *client) error {
	err := s.restoreEndpoint(ctx, api)
	if err != nil && ctx.Err() == nil {
		s.warn("the webhook receiver gets no events: %v", err)
		return nil
	}
	return err
}

func (s *Stack) restoreEndpoint(ctx context.Context, api *client) error {
	const path = "/v1/webhooks"
	var list struct {
		Data []endpoint `json:"data"`
	}
	if err := api.callAPI(ctx, http.MethodGet, path, nil, &list); err != nil {
		return err
	}
	url := s.receiverURL() + receiver.Path
	own, known, err := s.ownEndpoint(list.Data, url)
	if err != nil {
		return err
	}
	if own == nil {
		s.Say("making a webhook endpoint for the receiver")
		own = &endpoint{URL: url, IsActive: true}
		err = api.callAPI(ctx, http.MethodPost, path, map[string]any{"url": url, "events": []string{"*"}}, own)
	} else if !known { // a secret is shown only once
		err = api.callAPI(ctx, http.MethodPost, path+"/"+own.ID+"/rotate-secret", map[string]any{"grace_period_seconds": 0}, own)
	}
	if err == nil && own.Secret != "" {
		err = errors.Join(writeSecret(s.keptPath(secretFile), []byte(own.Secret+"\n")), writeSecret(s.keptPath(endpointFile), []byte(own.ID+"\n")))
	}
	if err != nil {
		return err
	}
	// An endpoint that somebody has disabled stays disabled.
	if own.URL != url || !own.IsActive && own.DisabledReason != "manual" {
		return api.callAPI(ctx, http.MethodPatch, path+"/"+own.ID, map[string]any{"url": url, "is_active": true}, nil)
	}
	return nil
}

// ownEndpoint returns the endpoint that an earlier run made, or one at the same
// address, or nil if there is none. known reports whether its secret is kept.
func (s *Stack) ownEndpoint(list []endpoint, url string) (own *endpoint, known bool, err error) {
	id, err := s.readKept(endpointFile)
	if err != nil {
		return nil, false, err
	}
	secret, err := s.readKept(secretFile)
	if err != nil {
		return nil, false, err
	}
	if at := slices.IndexFunc(list, func(e endpoint) bool { return id != "" && e.ID == id }); at >= 0 {
		return &list[at], secret != "", nil
	}
	if at := slices.IndexFunc(list, func(e endpoint) bool { return e.URL == url }); at >= 0 {
		return &list[at], false, nil
	}
	return nil, false, nil
}

// readKept reads a kept file of one word, and returns "" if there is none.
func (s *Stack) readKept(name string) (string, error) {
	content, err := os.ReadFile(s.keptPath(name))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(content)), err
}
