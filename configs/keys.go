package configs

import (
	"slices"
	"strings"
	"time"
)

// draft is a configuration that is being built: Config, and what is resolved into it once
// everything has been read.
type draft struct {
	Config
	// secrets holds secrets by key, and secretFiles the names of the files that hold secrets.
	secrets     map[string]string
	secretFiles map[string]string
}

// key is one key of the configuration.
type key struct {
	path string
	list bool
	// secret keys are never quoted in a fault. The file may not contain them, except for a
	// connection URL without a password.
	secret bool
	url    bool // a secret that may appear in the file without its password
	set    func(d *draft, items []string) error
}

// singleSetter returns the setter of a key with a single value.
func singleSetter[T any](field func(d *draft) *T, parse func(string) (T, error)) func(*draft, []string) error {
	return func(d *draft, items []string) error {
		value, err := parse(items[0])
		if err != nil {
			return err
		}
		*field(d) = value
		return nil
	}
}

// listSetter returns the setter of a key with a list.
func listSetter[T any](field func(d *draft) *[]T, parse func(string) (T, error)) func(*draft, []string) error {
	return func(d *draft, items []string) error {
		values := make([]T, 0, len(items))
		for _, item := range items {
			value, err := parse(item)
			if err != nil {
				return err
			}
			values = append(values, value)
		}
		*field(d) = values
		return nil
	}
}

// secretText stores a secret until secrets are resolved.
func secretText(path string, check func(string) error) func(*draft, []string) error {
	return func(d *draft, items []string) error {
		d.secrets[path] = items[0]
		return check(items[0])
	}
}

// secretFile stores the name of the file that holds the secret of path.
func secretFile(path string) func(*draft, []string) error {
	return func(d *draft, items []string) error {
		name, err := filePath(items[0])
		d.secretFiles[path] = name
		return err
	}
}

// listKeys returns the schema, in the order of the documentation.
func listKeys() []key {
	return slices.Concat(databaseKeys(), serverKeys(), egressKeys(), workKeys(), serviceKeys())
}

func databaseKeys() []key {
	return []key{
		{path: "database.url", secret: true, url: true, set: secretText("database.url", checkDatabaseURL)},
		{path: "database.url_file", set: secretFile("database.url")},
		{path: "database.direct_url", secret: true, url: true, set: secretText("database.direct_url", checkDatabaseURL)},
		{path: "database.pooler", set: singleSetter(func(d *draft) *Pooler { return &d.Database.Pooler }, oneOf(PoolerTransaction))},
		{path: "database.max_connections", set: singleSetter(func(d *draft) *int { return &d.Database.MaxConnections }, wholeBetween(4, 1000))},
		{path: "database.replica_url", secret: true, url: true, set: secretText("database.replica_url", checkDatabaseURL)},
		{path: "database.replica_max_lag", set: singleSetter(func(d *draft) *time.Duration { return &d.Database.ReplicaMaxLag }, durationBetween(time.Second, time.Hour))},
	}
}

func serverKeys() []key {
	return []key{
		{path: "keyring_file", set: singleSetter(func(d *draft) *string { return &d.KeyringFile }, filePath)},
		{path: "public_url", set: singleSetter(func(d *draft) *string { return &d.PublicURL }, parseOrigin)},
		{path: "listen", set: singleSetter(func(d *draft) *string { return &d.Listen }, hostPort)},
		{path: "tls.cert_file", set: singleSetter(func(d *draft) *string { return &d.TLS.CertFile }, filePath)},
		{path: "tls.key_file", set: singleSetter(func(d *draft) *string { return &d.TLS.KeyFile }, filePath)},
		{path: "debug.syncd", set: singleSetter(func(d *draft) *string { return &d.Debug.Syncd }, hostPort)},
		{path: "debug.apiserver", set: singleSetter(func(d *draft) *string { return &d.Debug.APIServer }, hostPort)},
		{path: "debug.pprof", set: singleSetter(func(d *draft) *bool { return &d.Debug.PProf }, parseBool)},
		{path: "trusted_proxies", list: true, set: listSetter(func(d *draft) *prefixes { return &d.TrustedProxies }, parsePrefix)},
	}
}

func egressKeys() []key {
	return []key{
		{path: "egress.region", set: singleSetter(func(d *draft) *string { return &d.Egress.Region }, textUpTo(100))},
		{path: "egress.cidrs", list: true, set: listSetter(func(d *draft) *prefixes { return &d.Egress.CIDRs }, parsePrefix)},
		{path: "egress.note", set: singleSetter(func(d *draft) *string { return &d.Egress.Note }, textUpTo(1000))},
		{path: "egress.allow_cidrs", list: true, set: listSetter(func(d *draft) *prefixes { return &d.Egress.AllowCIDRs }, parsePrefix)},
		{path: "egress.ca_file", set: singleSetter(func(d *draft) *string { return &d.Egress.CAFile }, filePath)},
	}
}

func workKeys() []key {
	const maxWorkers = 4096
	return []key{
		{path: "blobs.url", set: singleSetter(func(d *draft) *string { return &d.Blobs.URL }, blobURL)},
		{path: "sync.requests_per_second", set: singleSetter(func(d *draft) *float64 { return &d.Sync.RequestsPerSecond }, numberBetween(0, 1000))},
		{path: "sync.audit", set: singleSetter(func(d *draft) *time.Duration { return &d.Sync.Audit }, timeOfDay)},
		{path: "sync.history_days", set: singleSetter(func(d *draft) *int { return &d.Sync.HistoryDays }, wholeBetween(1, 3650))},
		{path: "interviews.languages", list: true, set: listSetter(func(d *draft) *[]string { return &d.Interviews.Languages }, parseLanguage)},
		{path: "interviews.lawful_basis", set: singleSetter(func(d *draft) *string { return &d.Interviews.LawfulBasis }, textUpTo(1000))},
		{path: "interviews.playback_ttl", set: singleSetter(func(d *draft) *time.Duration { return &d.Interviews.PlaybackTTL }, durationBetween(2*time.Minute, time.Hour))},
		{path: "workers.sync", set: singleSetter(func(d *draft) *int { return &d.Workers.Sync }, wholeBetween(0, maxWorkers))},
		{path: "workers.deliver", set: singleSetter(func(d *draft) *int { return &d.Workers.Deliver }, wholeBetween(0, maxWorkers))},
		{path: "workers.media", set: singleSetter(func(d *draft) *int { return &d.Workers.Media }, wholeBetween(0, maxWorkers))},
		{path: "workers.report", set: singleSetter(func(d *draft) *int { return &d.Workers.Report }, wholeBetween(0, maxWorkers))},
	}
}

func serviceKeys() []key {
	return []key{
		{path: "speech.url", set: singleSetter(func(d *draft) *string { return &d.Speech.URL }, httpURL)},
		{path: "speech.model", set: singleSetter(func(d *draft) *string { return &d.Speech.Model }, textUpTo(200))},
		{path: "speech.api_key", secret: true, set: secretText("speech.api_key", checkSecret)},
		{path: "speech.api_key_file", set: secretFile("speech.api_key")},
		{path: "prose.url", set: singleSetter(func(d *draft) *string { return &d.Prose.URL }, httpURL)},
		{path: "prose.model", set: singleSetter(func(d *draft) *string { return &d.Prose.Model }, textUpTo(200))},
		{path: "prose.api_key", secret: true, set: secretText("prose.api_key", checkSecret)},
		{path: "prose.api_key_file", set: secretFile("prose.api_key")},
		{path: "oidc.issuer", set: singleSetter(func(d *draft) *string { return &d.OIDC.Issuer }, parseIssuer)},
		{path: "oidc.client_id", set: singleSetter(func(d *draft) *string { return &d.OIDC.ClientID }, textUpTo(500))},
		{path: "oidc.client_secret", secret: true, set: secretText("oidc.client_secret", checkSecret)},
		{path: "oidc.client_secret_file", set: secretFile("oidc.client_secret")},
		{path: "oidc.groups_claim", set: singleSetter(func(d *draft) *string { return &d.OIDC.GroupsClaim }, textUpTo(200))},
		{path: "oidc.roles", list: true, set: listSetter(func(d *draft) *[]GroupRole { return &d.OIDC.Roles }, parseGroupRole)},
		{path: "otlp.endpoint", set: singleSetter(func(d *draft) *string { return &d.OTLP.Endpoint }, httpURL)},
		{path: "log.level", set: singleSetter(func(d *draft) *slogLevel { return &d.Log.Level }, logLevel)},
		{path: "log.format", set: singleSetter(func(d *draft) *LogFormat { return &d.Log.Format }, oneOf(LogJSON, LogText))},
	}
}

// Keys lists the path of every key that a file may hold, sorted.
func Keys() []string {
	var paths []string
	for _, k := range listKeys() {
		if k.inFile() {
			paths = append(paths, k.path)
		}
	}
	slices.Sort(paths)
	return paths
}

// inFile reports whether the key may appear in the file.
func (k key) inFile() bool { return !k.secret || k.url }

// Variable returns the environment variable of the key with the path.
func Variable(path string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}
