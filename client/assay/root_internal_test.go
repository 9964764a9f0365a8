package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestConnect checks which key is sent to which server.
func TestConnect(t *testing.T) {
	for _, tc := range []struct {
		name, url, key string
		want           credentials
		code           int
	}{
		{"what is stored", "", "", credentials{"https://assay.example.com", "stored"}, exitOK},
		{"another key", "", "other", credentials{"https://assay.example.com", "other"}, exitOK},
		{"another server and key", "https://staging.example.com", "other", credentials{"https://staging.example.com", "other"}, exitOK},
		{"the same server", "https://assay.example.com/", "", credentials{"https://assay.example.com/", "stored"}, exitOK},
		{"the same server in capitals", "https://Assay.Example.com", "", credentials{"https://Assay.Example.com", "stored"}, exitOK},
		{"another server", "https://staging.example.com", "", credentials{}, exitRefused},
		{"the same server in clear text", "http://assay.example.com", "", credentials{}, exitRefused},
		{"a key in clear text", "http://staging.example.com", "other", credentials{}, exitUsage},
		{"this machine", "http://localhost:8080", "other", credentials{"http://localhost:8080", "other"}, exitOK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", home)
			if _, err := (credentials{"https://assay.example.com", "stored"}).writeFile(); err != nil {
				t.Fatal(err)
			}
			t.Setenv("ASSAY_URL", tc.url)
			t.Setenv("ASSAY_API_KEY", tc.key)
			_, got, err := connect()
			switch {
			case err == nil && (tc.code != exitOK || got != tc.want):
				t.Errorf("connects with %v, want %v and the exit code %d", got, tc.want, tc.code)
			case err != nil && exitCode(err) != tc.code:
				t.Errorf("exit code %d (%v), want %d", exitCode(err), err, tc.code)
			}
		})
	}
}

// A secret that was lost with its answer makes the command fail, which has created something nevertheless.
func TestSecretThatWasLost(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		if r.URL.Path == "/v1/webhooks" {
			_, _ = w.Write([]byte(`{"id":"7","secret":null,"secret_available":false}`))
			return
		}
		_, _ = w.Write([]byte(`{"interview":{"id":"7"},"invite_url":null,"secret_available":false}`))
	}))
	t.Cleanup(server.Close)
	t.Setenv("ASSAY_URL", server.URL)
	t.Setenv("ASSAY_API_KEY", "key")
	for args, want := range map[string]string{
		"interviews create --trader 1":                    "replace the link",
		"webhooks create --url https://hooks.example.com": "rotate the secret",
	} {
		var stdout, stderr bytes.Buffer
		if code := runCommand(strings.Split(args, " "), nil, &stdout, &stderr); code != exitFailed || !strings.Contains(stderr.String(), want) || !strings.Contains(stdout.String(), "7") {
			t.Errorf("%s: exit code %d, printed\n%s%s", args, code, &stdout, &stderr)
		}
	}
}

// What is wrong with a command line is said without the words of the libraries that read it.
func TestInvalidCommandLines(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"traders list --limit -1":                      `--limit must be a whole number from 0, not "-1"`,
		"integrations tail 1 --count many":             `--count must be a whole number, not "many"`,
		"integrations connect --interval 1h":           `--interval must be a whole number, not "1h"`,
		"interviews create --window-hours 9999999999":  `--window-hours must be a whole number, not "9999999999"`,
		"webhooks update 1 --enable --disable":         "--disable and --enable exclude each other",
		"webhooks update 1 --pause --resume --disable": "--disable and --pause and --resume exclude each other",
		"interviews create --trader 1 --name Zoe":      "--name and --trader exclude each other",
		"traders list --json=maybe":                    `--json must be true or false, not "maybe"`,
		"export traders --json":                        "an export is CSV: leave --json out",
		"export trades 1 --json":                       "an export is CSV: leave --json out",
		"traders show":                                 "write the command as assay traders show ID",
		"export trades 1 2":                            "write the command as assay export trades TRADER",
	} {
		var stdout, stderr bytes.Buffer
		if code := runCommand(strings.Split(args, " "), nil, &stdout, &stderr); code != exitUsage || !strings.HasPrefix(stderr.String(), "assay: "+want) {
			t.Errorf("%s: exit code %d, printed\n%s%s", args, code, &stdout, &stderr)
		}
	}
}

// Where events are forwarded must be a URL to which they can be sent.
func TestForwardTo(t *testing.T) {
	t.Setenv("ASSAY_URL", "https://assay.example.com")
	t.Setenv("ASSAY_API_KEY", "key")
	for to, want := range map[string]string{
		"": "--forward-to is required", "localhost:3000": `not "localhost:3000"`, "ftp://localhost/": `not "ftp://localhost/"`, "http://": `not "http://"`,
	} {
		var stdout, stderr bytes.Buffer
		if code := runCommand([]string{"webhooks", "listen", "--forward-to", to}, nil, &stdout, &stderr); code != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: exit code %d, printed\n%s", to, code, &stderr)
		}
	}
}

// A server that is older than the command answers with 404 what it does not know yet. Only with an id may the
// object be missing.
func TestOlderServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"type":"https://assay.example.com/problems/not_found","status":404,"code":"not_found"}`))
	}))
	t.Cleanup(server.Close)
	t.Setenv("ASSAY_URL", server.URL)
	t.Setenv("ASSAY_API_KEY", "key")
	for args, want := range map[string]string{
		"webhooks list":  "older than the command (assay ",
		"traders show 1": "nothing with this id",
		"webhooks listen --forward-to http://localhost:1 --endpoint 1": "nothing with this id",
	} {
		var stdout, stderr bytes.Buffer
		if code := runCommand(strings.Split(args, " "), nil, &stdout, &stderr); code != exitFailed || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, printed\n%s", args, code, &stderr)
		}
	}
}
