package configs_test

import (
	"strings"
	"testing"

	"github.com/assayhq/assay/configs"
)

// sections is the list of sections that the fault for an unknown top-level key shows.
const sections = "blobs, database, debug, egress, interviews, keyring_file, listen, log, oidc, otlp, prose, public_url, speech, sync, tls, trusted_proxies, workers"

func TestFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := write(t, dir, "empty", "\n")
	lines := write(t, dir, "lines", "a\nb")
	notURL := write(t, dir, "noturl", "host=db password=hush")
	url := write(t, dir, "url", "postgres://u@h/d")
	for _, tc := range []struct {
		name    string
		file    string
		environ string // variables, separated by spaces
		want    string // what the error reads after "configuration: "
	}{
		// Syntax of the file.
		{"not YAML", "log: [", "", `f.yaml:1:6: not YAML: sequence end token ']' not found`},
		{"brace without its counterpart", "log:\n}", "", `f.yaml:2:1: log: must be a mapping with the keys format, level`},
		{"tag on two words", "listen: !000 00", "", `f.yaml:1:9: listen: must be a plain value; anchors, aliases, tags and nested values are not allowed`},
		{"duplicate key", "listen: :1\nlisten: :2", "", `f.yaml:2:1: not YAML: mapping key "listen" already defined at [1:1]`},
		{"second document", "listen: :1\n---\nlisten: :2", "", `f.yaml:3:7: the file has a second document, but a configuration is a single one`},
		{"UTF-16", "\xff\xfel\x00o\x00g\x00:\x00", "", `f.yaml: is not UTF-8 text; save it as UTF-8`},
		{"not a mapping", "hello", "", `f.yaml:1:1: must be a mapping with the keys ` + sections},
		{"a list", "- listen", "", `f.yaml:1:1: must be a mapping with the keys ` + sections},
		{"section is a text", "log: debug", "", `f.yaml:1:6: log: must be a mapping with the keys format, level`},
		{"unknown key", "listne: :1", "", `f.yaml:1:1: "listne": unknown key; valid: ` + sections},
		{"unknown key in a section", "log:\n  levell: info", "", `f.yaml:2:3: "log.levell": unknown key; valid: format, level`},
		{"unknown key in braces", "sync: {audit: \"03:00\", history: 3}", "", `f.yaml:1:24: "sync.history": unknown key; valid: audit, history_days, requests_per_second`},
		{"dotted key", "log.level: info", "", `f.yaml:1:1: "log.level": unknown key; valid: ` + sections},
		{"number as key", "1: 2", "", `f.yaml:1:1: a key must be a plain name; valid: ` + sections},
		{"merge key", "log:\n  <<: {level: info}", "", `f.yaml:2:3: log: a key must be a plain name; valid: format, level`},
		{"anchor", "listen: &a :1", "", `f.yaml:1:9: listen: must be a plain value; anchors, aliases, tags and nested values are not allowed`},
		{"alias", "listen: *a", "", `f.yaml:1:9: listen: must be a plain value; anchors, aliases, tags and nested values are not allowed`},
		{"tag", "listen: !!str :1", "", `f.yaml:1:9: listen: must be a plain value; anchors, aliases, tags and nested values are not allowed`},
		{"mapping for a value", "log: {level: {a: b}}", "", `f.yaml:1:14: log.level: must be a plain value; anchors, aliases, tags and nested values are not allowed`},
		{"list for a value", "listen: [a, b]", "", `f.yaml:1:9: listen: must be a single value, not a list`},
		{"value for a list", "trusted_proxies: 10.0.0.0/8", "", `f.yaml:1:18: trusted_proxies: must be a list such as [one, two]`},
		{"empty entry in a list", "trusted_proxies: [null]", "", `f.yaml:1:19: trusted_proxies: must be a plain value; anchors, aliases, tags and nested values are not allowed`},

		// Values.
		{"number", "database: {max_connections: many}", "", `f.yaml:1:29: database.max_connections: "many" is not a whole number from 4 to 1000`},
		{"number too small", "database: {max_connections: 3}", "", `f.yaml:1:29: database.max_connections: "3" is not a whole number from 4 to 1000`},
		{"fraction", "workers: {sync: 1.5}", "", `f.yaml:1:17: workers.sync: "1.5" is not a whole number from 0 to 4096`},
		{"negative", "workers: {sync: -1}", "", `f.yaml:1:17: workers.sync: "-1" is not a whole number from 0 to 4096`},
		{"rate", "sync: {requests_per_second: .nan}", "", `f.yaml:1:29: sync.requests_per_second: ".nan" is not a number from 0 to 1000`},
		{"rate too high", "sync: {requests_per_second: 1e9}", "", `f.yaml:1:29: sync.requests_per_second: "1e9" is not a number from 0 to 1000`},
		{"boolean", "debug: {pprof: yes}", "", `f.yaml:1:16: debug.pprof: "yes" is neither true nor false`},
		{"duration", "interviews: {playback_ttl: 600}", "", `f.yaml:1:28: interviews.playback_ttl: "600" is not a duration such as 90s, 10m or 1h`},
		{"duration too long", "interviews: {playback_ttl: 2h}", "", `f.yaml:1:28: interviews.playback_ttl: 2h is not from 2m0s to 1h0m0s`},
		{"time of day", "sync: {audit: 3am}", "", `f.yaml:1:15: sync.audit: "3am" is not a time of day such as "03:00" (UTC)`},
		{"hour beyond the day", `sync: {audit: "24:00"}`, "", `f.yaml:1:15: sync.audit: "24:00" is not a time of day such as "03:00" (UTC)`},
		{"level", "log: {level: verbose}", "", `f.yaml:1:14: log.level: "verbose" is not valid; use one of: debug, info, warn, error`},
		{"format", "log: {format: xml}", "", `f.yaml:1:15: log.format: "xml" is not valid; use one of: json, text`},
		{"pooler", "database: {pooler: session}", "", `f.yaml:1:20: database.pooler: "session" is not valid; use one of: transaction`},
		{"address", "listen: 8080", "", `f.yaml:1:9: listen: "8080" is not an address and port such as 127.0.0.1:8080, [::1]:8080 or :8080`},
		{"named port", "listen: localhost:http", "", `f.yaml:1:9: listen: "localhost:http" is not an address and port such as 127.0.0.1:8080, [::1]:8080 or :8080`},
		{"port out of range", "listen: localhost:65536", "", `f.yaml:1:9: listen: "localhost:65536" is not an address and port such as 127.0.0.1:8080, [::1]:8080 or :8080`},
		{"same address", "listen: 127.0.0.1:9102", "", `f.yaml:1:9: listen: 127.0.0.1:9102 is already the address of debug.apiserver`},
		{"same address twice", "listen: :1\ndebug: {syncd: \":1\"}", "", `f.yaml:2:16: debug.syncd: :1 is already the address of listen`},
		{"range", "trusted_proxies: [10.0.0.1]", "", `f.yaml:1:18: trusted_proxies: "10.0.0.1" is not an address range such as 10.0.0.0/8 or 2001:db8::/32`},
		{"range with host bits", "egress: {cidrs: [10.1.2.3/8]}", "", `f.yaml:1:17: egress.cidrs: "10.1.2.3/8" has bits set beyond its prefix length; write the range as 10.0.0.0/8`},
		{"IPv4 in IPv6", "egress: {allow_cidrs: [\"::ffff:10.0.0.0/104\"]}", "", `f.yaml:1:23: egress.allow_cidrs: "::ffff:10.0.0.0/104" is an IPv4 range in IPv6 notation; write it as IPv4`},
		{"language", "interviews: {languages: [english]}", "", `f.yaml:1:25: interviews.languages: "english" is not a BCP-47 language tag such as en, pt-BR or zh-Hant`},
		{"no language", "interviews: {languages: []}", "", `f.yaml:1:25: interviews.languages: must name at least one language`},
		{"long text", "egress: {region: " + strings.Repeat("x", 101) + "}", "", `f.yaml:1:18: egress.region: is longer than 100 characters`},
		{"line break", "egress: {note: \"a\\nb\"}", "", `f.yaml:1:16: egress.note: contains a control character or a line break`},
		{"public URL over http", "public_url: http://assay.example.com", "", `f.yaml:1:13: public_url: must start with https:// unless its host is loopback`},
		{"public URL with slash", "public_url: https://assay.example.com/", "", `f.yaml:1:13: public_url: must end after the host and port, without a path or trailing slash`},
		{"public URL with user", "public_url: https://u@assay.example.com", "", `f.yaml:1:13: public_url: must not contain a user, password or fragment`},
		{"public URL with query", "public_url: https://assay.example.com?x", "", `f.yaml:1:13: public_url: must not contain a query`},
		{"public URL without scheme", "public_url: assay.example.com", "", `f.yaml:1:13: public_url: is not a URL that starts with https:// or http://`},
		{"blobs", "blobs: {url: /var/blobs}", "", `f.yaml:1:14: blobs.url: is neither a folder such as file:///var/lib/assay/blobs nor a bucket such as s3://name?region=eu-central-1`},
		{"file name", "keyring_file: \"a\\0b\"", "", `f.yaml:1:15: keyring_file: is not a file name, because it contains NUL`},
		{"endpoint", "otlp: {endpoint: localhost:4318}", "", `f.yaml:1:18: otlp.endpoint: is not a URL that starts with https:// or http://`},

		// Keys that depend on each other.
		{"pooler without direct URL", "database: {url: postgres://u@h/d, pooler: transaction}", "", `f.yaml:1:43: database.pooler: transaction requires database.direct_url, because migrations and LISTEN bypass the pooler`},
		{"certificate without key", "tls: {cert_file: c}", "", `f.yaml:1:18: tls.cert_file: requires tls.key_file too`},
		{"key without certificate", "tls: {key_file: c}", "", `f.yaml:1:17: tls.key_file: requires tls.cert_file too`},
		{"speech without model", "speech: {url: http://h}", "", `f.yaml:1:15: speech.url: requires speech.model too`},
		{"prose without model", "prose: {url: http://h}", "", `f.yaml:1:14: prose.url: requires prose.model too`},
		{"issuer alone", "oidc: {issuer: https://h}", "", `f.yaml:1:16: oidc.issuer: requires oidc.client_id and oidc.client_secret_file too`},
		{"client alone", "oidc: {client_id: a}", "", `f.yaml:1:19: oidc.client_id: requires oidc.issuer too`},
		{"issuer over http", "oidc: {issuer: http://id.example.com}", "", `f.yaml:1:16: oidc.issuer: must start with https:// unless its host is loopback`},

		// Secrets.
		{"secret in the file", "speech: {api_key: hush}", "", `f.yaml:1:10: speech.api_key: secrets are not allowed in the file; use speech.api_key_file or ASSAY_SPEECH_API_KEY`},
		{"password in the file", "database: {url: \"postgres://u:hush@h/d\"}", "", `f.yaml:1:17: database.url: passwords are not allowed in the file; use database.url_file or ASSAY_DATABASE_URL`},
		{"password in a query", "database: {url: \"postgres://u@h/d?password=hush\"}", "", `f.yaml:1:17: database.url: passwords are not allowed in the file; use database.url_file or ASSAY_DATABASE_URL`},
		{"password of the replica", "database: {replica_url: \"postgres://u:hush@h/d\"}", "", `f.yaml:1:25: database.replica_url: passwords are not allowed in the file; use ASSAY_DATABASE_REPLICA_URL, or omit user and password to use those of database.url`},
		{"not a connection URL", "database: {url: host=db}", "", `f.yaml:1:17: database.url: is not a URL such as postgres://user@host:5432/name`},
		{"no database", "database: {url: postgres://u@h}", "", `f.yaml:1:17: database.url: does not name a database; use postgres://user@host:5432/name`},
		{"an unknown sslmode", "database: {url: 'postgres://u@h/d?sslmode=maybe'}", "", `f.yaml:1:17: database.url: has an unknown sslmode; use disable, allow, prefer, require, verify-ca or verify-full`},
		{"unreadable secret", "database: {url_file: " + dir + "/none}", "", `f.yaml:1:22: database.url_file: open ` + dir + `/none: no such file or directory`},
		{"empty secret", "prose: {api_key_file: " + empty + "}", "", `f.yaml:1:23: prose.api_key_file: ` + empty + ` is empty`},
		{"secret of two lines", "prose: {api_key_file: " + lines + "}", "", `f.yaml:1:23: prose.api_key_file: ` + lines + `: its content contains a control character or a line break`},
		{"secret file without a URL", "database: {url_file: " + notURL + "}", "", `f.yaml:1:22: database.url_file: ` + notURL + `: its content is not a URL such as postgres://user@host:5432/name`},
		{"URL twice", "database: {url: postgres://u@h/d, url_file: " + url + "}", "", `f.yaml:1:45: database.url_file: is set together with database.url; keep one of them`},
		{"URL twice in the environment", "", "ASSAY_DATABASE_URL=postgres://u@h/d ASSAY_DATABASE_URL_FILE=" + url, `ASSAY_DATABASE_URL_FILE: database.url_file: is set together with database.url; keep one of them`},

		// Variables.
		{"unknown variable", "", "ASSAY_LOG_LEVELL=info", `ASSAY_LOG_LEVELL: unknown variable; valid: ASSAY_LOG_FORMAT, ASSAY_LOG_LEVEL`},
		{"section as variable", "", "ASSAY_LOG=info", `ASSAY_LOG: unknown variable; valid: ASSAY_LOG_FORMAT, ASSAY_LOG_LEVEL`},
		{"wrong variable", "", "ASSAY_LOG_LEVEL=loud", `ASSAY_LOG_LEVEL: log.level: "loud" is not valid; use one of: debug, info, warn, error`},
		{"wrong list", "", "ASSAY_TRUSTED_PROXIES=10.0.0.0/8,", `ASSAY_TRUSTED_PROXIES: trusted_proxies: "" is not an address range such as 10.0.0.0/8 or 2001:db8::/32`},
		{"wrong secret", "", "ASSAY_DATABASE_URL=hush", `ASSAY_DATABASE_URL: database.url: is not a URL such as postgres://user@host:5432/name`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := configs.Parse("f.yaml", []byte(tc.file), strings.Fields(tc.environ))
			if err == nil {
				t.Fatal("no error")
			}
			got, _ := strings.CutPrefix(err.Error(), "configuration: ")
			if got != tc.want {
				t.Errorf("error\n got: %s\nwant: %s", got, tc.want)
			}
			if strings.Contains(got, "hush") {
				t.Error("the error shows a secret")
			}
		})
	}
}

// A file on which the YAML library panics is reported as a configuration error.
func TestPanicOfTheParser(t *testing.T) {
	t.Parallel()
	err := configs.ParsePanicking("f.yaml")
	if got, want := err.Error(), "configuration: f.yaml: not YAML: the parser gave up on it"; got != want {
		t.Errorf("error\n got: %s\nwant: %s", got, want)
	}
	if got := configs.ExitCode(err); got != configs.ExitUsage {
		t.Errorf("exit code %d", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("log: {level: info}\n"), "ASSAY_LISTEN=:1")
	f.Add([]byte("database:\n  url: postgres://u:hush@h/d\n"), "ASSAY_DATABASE_URL=postgres://u:hush@h/d")
	f.Add([]byte("trusted_proxies:\n  - 10.0.0.0/8\n"), "ASSAY_SYNC_AUDIT=03:00")
	f.Add([]byte("listen: &a :1\ndebug: {syncd: *a, <<: *a}\n"), "ASSAY_LOG_LEVELL")
	f.Add([]byte("- a\n---\n? [b]\n: |\n  c\n"), "=")
	f.Add([]byte("keys: !000 00"), "ASSAY_LISTEN=") // the YAML library's decoder panics on it
	f.Add([]byte("log:\n}"), "ASSAY_LISTEN=")       // its parser panicked on it, too
	f.Add([]byte("listen: !000 00\nlog: !!map\n"), "ASSAY_LISTEN=")
	f.Fuzz(func(t *testing.T, content []byte, variable string) {
		if strings.Contains(string(content), "_file") || strings.Contains(variable, "_FILE") {
			return // expanding it would read files
		}
		c, err := configs.Parse("f.yaml", content, []string{variable})
		if err != nil {
			if configs.ExitCode(err) != configs.ExitUsage {
				t.Errorf("error of another type: %v", err)
			}
			return
		}
		if len(c.Interviews.Languages) == 0 || c.Database.MaxConnections < 4 || c.Listen == "" || c.Sync.RequestsPerSecond < 0 {
			t.Errorf("accepted an invalid configuration: %+v", c)
		}
	})
}
