package configs

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/assayhq/assay/store/seal"
)

// Config is the whole configuration, checked. Optional texts are empty when
// they are not set.
type Config struct {
	Database       Database
	KeyringFile    string         // made by `apiserver keyring new`
	PublicURL      string         // origin of apiserver as people reach it, without trailing slash
	Listen         string         // host:port of apiserver
	TLS            TLS            // apiserver's own certificate; without one it expects a proxy in front
	Debug          Debug          // the private listeners
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
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
}

// Database says how Postgres is reached.
type Database struct {
	URL            seal.Secret   // postgres://…; from url, url_file or the environment
	DirectURL      seal.Secret   // past the pooler; URL itself when there is none
	ReplicaURL     seal.Secret   // takes the API's reads; zero when there is none
	ReplicaMaxLag  time.Duration // how old what is read there may be, 1 s to 1 h
	Pooler         Pooler
	MaxConnections int // of one process, 4 to 1000
}

// Pooler says what stands between a process and Postgres.
type Pooler string

const (
	// PoolerNone means a direct connection, or a pooler in session mode.
	PoolerNone Pooler = ""
	// PoolerTransaction means PgBouncer in transaction mode; DirectURL goes past it.
	PoolerTransaction Pooler = "transaction"
)

// TLS names apiserver's certificate; both files are set or neither is.
type TLS struct {
	CertFile string // PEM, the chain with the leaf first
	KeyFile  string // PEM
}

// Enabled reports whether apiserver serves TLS itself.
func (t TLS) Enabled() bool { return t.CertFile != "" }

// Debug holds the private listeners for metrics, probes and profiles.
type Debug struct {
	Syncd     string // host:port
	APIServer string // host:port
	PProf     bool   // serves /debug/pprof
}

// Egress describes the addresses that assay calls platforms and webhooks from,
// and what it may call beyond public addresses.
type Egress struct {
	Region     string         // shown to customers
	CIDRs      []netip.Prefix // shown to customers, to be allowed by their firewalls
	Note       string         // shown to customers
	AllowCIDRs []netip.Prefix // ranges that may be called although they are not public
	CAFile     string         // PEM; roots trusted beside the system's
}

// Blobs says where bytes that are no rows are kept.
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

// Workers bounds how many of each kind of work one syncd does at a time; 0
// leaves that kind to other processes.
type Workers struct {
	Sync    int
	Deliver int
	Media   int
	Report  int
}

// Speech is an OpenAI-compatible speech-to-text server. Without a URL
// pocketsphinx is used where it is installed.
type Speech struct {
	URL    string
	Model  string
	APIKey seal.Secret // from api_key_file or the environment
}

// Prose is an OpenAI-compatible chat server that words the summary of a
// report. Without a URL there is none.
type Prose struct {
	URL    string
	Model  string
	APIKey seal.Secret // from api_key_file or the environment
}

// OIDC is the OpenID Connect provider that people sign in with beside their
// password; off without an issuer.
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret seal.Secret // from client_secret_file or the environment
}

// OTLP is where traces are sent; off without an endpoint.
type OTLP struct {
	Endpoint string
}

// Log says what is logged and how.
type Log struct {
	Level  slog.Level
	Format LogFormat
}

// LogFormat is the shape of a log line.
type LogFormat string

const (
	// LogJSON writes one JSON object a line.
	LogJSON LogFormat = "json"
	// LogText writes key=value pairs.
	LogText LogFormat = "text"
)

// Defaults returns what holds where nothing is set.
func Defaults() Config {
	return Config{
		Database:   Database{MaxConnections: 20, ReplicaMaxLag: 5 * time.Second},
		Listen:     "127.0.0.1:8080",
		Debug:      Debug{Syncd: "127.0.0.1:9101", APIServer: "127.0.0.1:9102"},
		Blobs:      Blobs{URL: "file://./.data/blobs"},
		Sync:       Sync{RequestsPerSecond: 5, Audit: 3 * time.Hour, HistoryDays: 30},
		Interviews: Interviews{Languages: []string{"en"}, PlaybackTTL: 10 * time.Minute},
		Workers:    Workers{Sync: 32, Deliver: 40, Media: 1, Report: 2},
		Log:        Log{Level: slog.LevelInfo, Format: LogJSON},
	}
}
