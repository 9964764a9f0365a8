package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	assay "github.com/assayhq/assay/client/go"
)

// assay follows no redirects, so a program that redirects must not look as if it works.
func TestForwardFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	program := httptest.NewServer(http.RedirectHandler("/webhooks/", http.StatusMovedPermanently))
	t.Cleanup(program.Close)
	l := listener{to: program.URL + "/webhooks", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	if answer, err := l.post(t.Context(), "evt_1", []byte("{}")); err != nil || answer != "301 Moved Permanently" {
		t.Errorf("the program answered %q, %v", answer, err)
	}
}

// A server that is restarted does not end what follows its events.
func TestListenOutlivesOutage(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changed := make(chan struct{}, 1)
	requests := 0 // one after the other
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/webhooks/1/deliveries", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch requests++; requests {
		case 1:
			fmt.Fprint(w, `{"data":[],"meta":{"next_cursor":null}}`)
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
			changed <- struct{}{}
		default:
			fmt.Fprint(w, `{"data":[{"id":"2","event":{"id":"evt_1","type":"trader.created"},"payload":{"id":"evt_1"}}],"meta":{"next_cursor":null}}`)
		}
	})
	mux.HandleFunc("GET /v1/stream", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "event: ready\ndata: {}\n\n")
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case <-changed:
				fmt.Fprint(w, "event: change\ndata: {\"topic\":\"webhooks\"}\n\n")
			case <-r.Context().Done():
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	program := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() }))
	t.Cleanup(program.Close)

	root := newRoot()
	var said bytes.Buffer
	root.SetErr(&said)
	root.SetOut(&said)
	c, _, err := root.Find([]string{"webhooks", "listen"})
	if err != nil {
		t.Fatal(err)
	}
	c.SetContext(ctx)
	if err := c.ParseFlags([]string{"--forward-to", program.URL, "--endpoint", "1"}); err != nil {
		t.Fatal(err)
	}
	client, err := assay.New(server.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	if err := listenToWebhooks(c, client, nil); err != nil || ctx.Err() == nil {
		t.Errorf("ended with %v\n%s", err, &said)
	}
	if !strings.Contains(said.String(), "trying again") {
		t.Errorf("of the outage it said\n%s", &said)
	}
}

func TestUnknownShell(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if code := runCommand([]string{"completion", "tcsh"}, nil, &stdout, &stderr); code != exitUsage || stdout.Len() > 0 {
		t.Errorf("exit code %d, and printed\n%s", code, &stdout)
	}
}

// TestCompletion checks that shells are offered the names of files only where a file is meant.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"traders show ":              ":4",
		"webhooks ":                  ":4",
		"interviews list --trader ":  ":4",
		"integrations list --limit ": ":4",
		"export trades x --state ":   "open\nclosed\n:4",
		"webhooks create --kind ":    "standard\nslack\nteams\n:4",
		"export traders --output ":   ":0",
		"export traders --output=x":  ":0",
	} {
		var stdout, stderr bytes.Buffer
		if code := runCommand(strings.Split("__complete "+line, " "), nil, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), want+"\n") {
			t.Errorf("%q: exit code %d, offered\n%s%s", line, code, &stdout, &stderr)
		}
	}
}

// TestHelp checks that help for a command that does not exist fails, as the command would.
func TestHelp(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"help"}, 0, "assay login"},
		{[]string{"help", "webhooks", "list"}, 0, "assay webhooks list"},
		{[]string{"help", "nonsense"}, exitUsage, ""},
		{[]string{"help", "webhooks", "nonsense"}, exitUsage, ""},
	} {
		var stdout, stderr bytes.Buffer
		if code := runCommand(tt.args, nil, &stdout, &stderr); code != tt.code || !strings.Contains(stdout.String(), tt.want) || tt.want == "" && stdout.Len() > 0 {
			t.Errorf("%v: exit code %d, printed\n%s%s", tt.args, code, &stdout, &stderr)
		}
	}
}
