package configs

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/assayhq/assay/store/seal"
)

// Config is the whole configuration after validation. Optional strings are empty if they are not
// set.
type Config struct {
	Database       Database
	KeyringFile    string         // made by `apiserver keyring new`
	PublicURL      string         // origin under which people reach apiserver, without trailing slash
	Listen         string         // host:port of apiserver
	TLS            TLS            // apiserver's own certificate; without one, apiserver expects a proxy in front
	Debug          Debug          // the private listeners
	TrustedProxies []netip.Prefix // ranges of proxies whose X-Forwarded-For is trusted
	Egress         Egress
	Blobs          Blobs
	Sync           Sync
	Interviews     Interviews
	Workers        Workers
	Speech         Speech
	Prose          Prose
	OIDC           OIDC
	OTLP           OTLP
	Log            Log
	SecretFiles    map[string]string // the files that secrets were read from, by key, such as database.url_file; nil if there are none

	emptied map[string]bool // keys whose variables are set, but empty
}

// Database says how Postgres is reached.
type Database struct {
	URL            seal.Secret   // postgres://…; from url, url_file or the environment
	DirectURL      seal.Secret   // bypasses the pooler; the same as URL if there is no pooler
	ReplicaURL     seal.Secret   // serves the API's reads; zero if there is no replica
	ReplicaMaxLag  time.Duration // how stale the replica may be, 1 s to 1 h
	Pooler         Pooler
	MaxConnections int // connections of one process, 4 to 1000
}

// Pooler names the connection pooler between a process and Postgres.
type Pooler string

const (
	// PoolerNone means a direct connection, or a pooler in session mode.
	PoolerNone Pooler = ""
	// PoolerTransaction means PgBouncer in transaction mode. DirectURL bypasses it.
	PoolerTransaction Pooler = "transaction"
)

// TLS names apiserver's certificate; both files are set or neither is.
type TLS struct {
	CertFile string // PEM, the chain with the leaf first
	KeyFile  string // PEM
}

// Enabled reports whether apiserver terminates TLS itself.
func (t TLS) Enabled() bool { return t.CertFile != "" }

// Debug holds the private listeners for metrics, probes and profiles.
type Debug struct {
	Syncd     string // host:port
	APIServer string // host:port
	PProf     bool   // serves /debug/pprof
}

// Egress describes the addresses from which assay calls platforms and webhooks, and which
// non-public addresses it may call.
type Egress struct {
	Region     string         // shown to customers
	CIDRs      []netip.Prefix // shown to customers, who allow them in their firewalls
	Note       string         // shown to customers
	AllowCIDRs []netip.Prefix // non-public ranges that may be called
	CAFile     string         // PEM; roots trusted in addition to the system's
}

// Blobs says where recordings and other bytes outside the database are stored.
type Blobs struct {
	URL string // file://… or s3://…
}

// Sync bounds what the sync engine does.
type Sync struct {
	RequestsPerSecond float64       // per integration, 0 to 1000; 0 is unlimited, for benchmarks
	Audit             time.Duration // when the nightly audit starts, since midnight UTC
	HistoryDays       int           // days that the history of sync runs is kept, 1 to 3650
}

// Interviews holds the defaults of recorded interviews.
type Interviews struct {
	Languages   []string      // BCP-47 tags that an interview may be held in, at least one
	LawfulBasis string        // why recording is lawful, shown to traders before they consent
	PlaybackTTL time.Duration // life of a signed playback URL, 2 m to 1 h
}

// Workers limits how many jobs of each kind one syncd runs at a time. 0 leaves that kind to other
// processes.
type Workers struct {
	Sync    int
	Deliver int
	Media   int
	Report  int
}

// Speech is an OpenAI-compatible speech-to-text server. Without a URL, pocketsphinx is used if it
// is installed.
type Speech struct {
	URL    string
	Model  string
	APIKey seal.Secret // from api_key_file or the environment
}

// Prose is an OpenAI-compatible chat server that writes the summary of a report. Without a URL,
// the report's summary_draft is null.
type Prose struct {
	URL    string
	Model  string
	APIKey seal.Secret // from api_key_file or the environment
}

// OIDC is the OpenID Connect provider that people can sign in with, in addition to passwords. It
// is off if no issuer is set.
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret seal.Secret // from client_secret_file or the environment
	GroupsClaim  string      // the claim with a person's groups
	// Roles are the roles that groups give. If there are none, roles are assigned in assay.
	Roles []GroupRole
}

// GroupRole is the role that a group at the provider gives to its members.
type GroupRole struct{ Group, Role string }

// OTLP is where traces are sent. It is off if no endpoint is set.
type OTLP struct {
	Endpoint string
}

// Log says what is logged and in which format.
type Log struct {
	Level  slog.Level
	Format LogFormat
}

// LogFormat is the format of a log line.
type LogFormat string

const (
	// LogJSON writes one JSON object per line.
	LogJSON LogFormat = "json"
	// LogText writes key=value pairs.
	LogText LogFormat = "text"
)

// Defaults returns the values of keys that are not set.
func Defaults() Config {
	return Config{
		Database:   Database{MaxConnections: 20, ReplicaMaxLag: 5 * time.Second},
		Listen:     "127.0.0.1:8080",
		Debug:      Debug{Syncd: "127.0.0.1:9101", APIServer: "127.0.0.1:9102"},
		Blobs:      Blobs{URL: "file://./.data/blobs"},
		Sync:       Sync{RequestsPerSecond: 5, Audit: 3 * time.Hour, HistoryDays: 30},
		Interviews: Interviews{Languages: []string{"en"}, PlaybackTTL: 10 * time.Minute},
		Workers:    Workers{Sync: 32, Deliver: 40, Media: 1, Report: 2},
		OIDC:       OIDC{GroupsClaim: "groups"},
		Log:        Log{Level: slog.LevelInfo, Format: LogJSON},
	}
}
