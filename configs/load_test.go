package configs_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/store/seal"
)

// compare tells cmp how to compare types with unexported fields.
var compare = cmp.Options{
	cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }),
	cmp.Comparer(func(a, b seal.Secret) bool { return a == b }),
	cmpopts.IgnoreUnexported(configs.Config{}),
}

func TestSampleIsTheDefault(t *testing.T) {
	t.Parallel()
	got, err := configs.Load("sample.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(configs.Defaults(), got, compare, cmp.Transformer("empty", func(p []netip.Prefix) []netip.Prefix {
		return append([]netip.Prefix{}, p...)
	})); diff != "" {
		t.Errorf("sample.yaml and Defaults (-want +got):\n%s", diff)
	}
}

func TestSampleShowsEveryKey(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("sample.yaml")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^( *)([a-z_]+):`)
	var section string
	var got []string
	var sections []string
	for text := range strings.Lines(string(content)) {
		m := line.FindStringSubmatch(text)
		switch {
		case m == nil:
		case m[1] != "":
			got = append(got, section+"."+m[2])
			sections = append(sections, section)
		default:
			section = m[2]
			got = append(got, section)
		}
	}
	got = slices.DeleteFunc(got, func(path string) bool { return slices.Contains(sections, path) })
	slices.Sort(got)
	if diff := cmp.Diff(configs.Keys(), got); diff != "" {
		t.Errorf("keys of the schema and of sample.yaml (-want +got):\n%s", diff)
	}
}

func TestVariablesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, path := range configs.Keys() {
		name := configs.Variable(path)
		if other, taken := seen[name]; taken {
			t.Errorf("%s stands for %s and for %s", name, other, path)
		}
		seen[name] = path
	}
}

func TestLoadReadsEveryKindOfValue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "url", "postgres://u:p%40ss@db:5432/assay\n")
	write(t, dir, "key", "speech-key")
	path := write(t, dir, "assay.yaml", fmt.Sprintf(`
database:
  url_file: %[1]s/url
  direct_url: postgres://direct:5432/assay
  replica_url: postgres://reader@replica/assay
  replica_max_lag: 20s
  pooler: transaction
  max_connections: 50
keyring_file: /etc/assay/keyring
public_url: https://assay.example.com
trusted_proxies: [10.0.0.0/8, "2001:db8::/32"]
egress: {region: eu, note: "two addresses", cidrs: [192.0.2.1/32]}
sync: {requests_per_second: 0.5, audit: 23:59, history_days: 1}
interviews:
  languages:
    - en
    - pt-BR
    - zh-Hant
  playback_ttl: 2m
workers: {media: 0}
speech: {url: "http://127.0.0.1:9000/v1", model: whisper, api_key_file: %[1]s/key}
log: {level: debug, format: text}
debug: {pprof: true}
`, dir))
	got, err := configs.Load(path, []string{"HOME=/nowhere", "ASSAYER=1", "ASSAY_SERVICE_HOST=10.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	want := configs.Defaults()
	want.Database = configs.Database{
		URL:            seal.NewSecret("postgres://u:p%40ss@db:5432/assay"),
		DirectURL:      seal.NewSecret("postgres://u:p%40ss@direct:5432/assay"),
		ReplicaURL:     seal.NewSecret("postgres://reader@replica/assay"),
		ReplicaMaxLag:  20 * time.Second,
		Pooler:         configs.PoolerTransaction,
		MaxConnections: 50,
	}
	want.KeyringFile = "/etc/assay/keyring"
	want.PublicURL = "https://assay.example.com"
	want.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	want.Egress = configs.Egress{Region: "eu", Note: "two addresses", CIDRs: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}}
	want.Sync = configs.Sync{RequestsPerSecond: 0.5, Audit: 23*time.Hour + 59*time.Minute, HistoryDays: 1}
	want.Interviews.Languages = []string{"en", "pt-BR", "zh-Hant"}
	want.Interviews.PlaybackTTL = 2 * time.Minute
	want.Workers.Media = 0
	want.Speech = configs.Speech{URL: "http://127.0.0.1:9000/v1", Model: "whisper", APIKey: seal.NewSecret("speech-key")}
	want.Log = configs.Log{Level: slog.LevelDebug, Format: configs.LogText}
	want.Debug.PProf = true
	want.SecretFiles = map[string]string{"database.url_file": filepath.Join(dir, "url"), "speech.api_key_file": filepath.Join(dir, "key")}
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

func TestVariablesWinOverTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "url", "postgres://file@db/assay")
	path := write(t, dir, "assay.yaml", `
database: {url_file: `+dir+`/url}
listen: 127.0.0.1:1
interviews: {languages: [de]}
sync: {history_days: 7}
egress: {note: "from the file"}
`)
	got, err := configs.Load(path, []string{
		"ASSAY_DATABASE_URL=postgres://me:secret@db/assay",
		"ASSAY_LISTEN=:2",
		"ASSAY_INTERVIEWS_LANGUAGES=en, fr",
		"ASSAY_SYNC_HISTORY_DAYS=",
		"ASSAY_SYNC_REQUESTS_PER_SECOND=0",
		"ASSAY_OIDC_ISSUER=https://id.example.com/realm",
		"ASSAY_OIDC_CLIENT_ID=assay",
		"ASSAY_OIDC_CLIENT_SECRET=hush",
		"ASSAY_TEST_DATABASE_URL=postgres://ignored",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := configs.Defaults()
	want.Database.URL = seal.NewSecret("postgres://me:secret@db/assay")
	want.Database.DirectURL = want.Database.URL
	want.Listen = ":2"
	want.Interviews.Languages = []string{"en", "fr"}
	want.Sync.RequestsPerSecond = 0
	want.OIDC = configs.OIDC{Issuer: "https://id.example.com/realm", ClientID: "assay", ClientSecret: seal.NewSecret("hush"), GroupsClaim: "groups"}
	want.Egress.Note = "from the file"
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

func TestNothingAtAllIsTheDefault(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "\n", "# nothing\n", "---\n", "---\n...\n", "log:\n", "log: {}\n", "log: null\nlisten: \"\"\n"} {
		got, err := configs.Parse("assay.yaml", []byte(content), nil)
		if err != nil {
			t.Errorf("Parse(%q): %v", content, err)
			continue
		}
		if diff := cmp.Diff(configs.Defaults(), got, compare); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", content, diff)
		}
	}
}

func TestAllFaultsComeAtOnce(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	for i := range 30 {
		fmt.Fprintf(&content, "key%02d: 1\n", i)
	}
	_, err := configs.Parse("assay.yaml", []byte(content.String()), nil)
	fault, ok := errors.AsType[*configs.Error](err)
	if !ok || len(fault.Faults) != 30 {
		t.Fatalf("Parse: %v, want 30 faults", err)
	}
	if text := err.Error(); !strings.Contains(text, `assay.yaml:20:1: "key19"`) || !strings.HasSuffix(text, "and 10 more") {
		t.Errorf("error reads\n%s", text)
	}
	if got := configs.ExitCode(fmt.Errorf("start: %w", err)); got != configs.ExitUsage {
		t.Errorf("exit code %d, want %d", got, configs.ExitUsage)
	}
	if got := configs.ExitCode(errors.New("other")); got != configs.ExitFailed {
		t.Errorf("exit code %d, want %d", got, configs.ExitFailed)
	}
}

func TestRequire(t *testing.T) {
	t.Parallel()
	c, err := configs.Parse("assay.yaml", []byte("keyring_file: k\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Require("keyring_file"); err != nil {
		t.Errorf("Require of a set key: %v", err)
	}
	err = c.Require("database.url", "keyring_file", "public_url")
	const want = `configuration:
  database.url: is needed here; set it, database.url_file or ASSAY_DATABASE_URL
  public_url: is needed here; set it in the file or as ASSAY_PUBLIC_URL`
	if err == nil || err.Error() != want {
		t.Errorf("Require: %v, want %s", err, want)
	}
}

// An empty variable removes what the file sets. It is named, because compose files write one for a
// variable that is not set.
func TestRequireWithEmptyVariable(t *testing.T) {
	t.Parallel()
	c, err := configs.Parse("assay.yaml", []byte("database: {url: postgres://u@h/d}\nkeyring_file: k\n"), []string{"ASSAY_DATABASE_URL=", "ASSAY_PUBLIC_URL= "})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Require("database.url", "keyring_file", "public_url")
	const want = `configuration:
  ASSAY_DATABASE_URL: database.url: is needed here, but the variable is empty; set it, database.url_file or ASSAY_DATABASE_URL
  ASSAY_PUBLIC_URL: public_url: is needed here, but the variable is empty; set it in the file or as ASSAY_PUBLIC_URL`
	if err == nil || err.Error() != want {
		t.Errorf("Require: %v, want %s", err, want)
	}
}

// Editors on Windows put a byte order mark before the text that they save as UTF-8.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	const mark = "\ufeff"
	dir := t.TempDir()
	write(t, dir, "url", mark+"postgres://u:p@db:5432/assay\r\n")
	path := write(t, dir, "assay.yaml", mark+"database: {url_file: "+dir+"/url}\r\nlisten: :9000\r\n")
	c, err := configs.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != ":9000" || c.Database.URL.Reveal() != "postgres://u:p@db:5432/assay" {
		t.Errorf("listen %q, URL %q", c.Listen, c.Database.URL.Reveal())
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "none.yaml")} {
		_, err := configs.Load(path, nil)
		if err == nil || strings.Count(err.Error(), path) != 1 || configs.ExitCode(err) != configs.ExitUsage {
			t.Errorf("Load: %v, want a configuration error that names %s once", err, path)
		}
	}
}

func TestConfigPrintsNoSecret(t *testing.T) {
	t.Parallel()
	c, err := configs.Parse("", nil, []string{"ASSAY_DATABASE_URL=postgres://u:hush@h/d", "ASSAY_SPEECH_API_KEY=hush"})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, c); strings.Contains(text, "hush") {
			t.Errorf("%s prints a secret: %s", format, text)
		}
	}
}

// write makes a file in dir and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
