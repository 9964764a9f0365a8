package configs

import (
	"net/url"
	"strings"

	"github.com/assayhq/assay/store/seal"
)

// resolveSecrets reads the secrets and checks keys that depend on each other. settings holds
// where each key was set.
func (d *draft) resolveSecrets(settings map[string]setting) []Fault {
	faults := d.readSecrets(settings)
	if len(faults) > 0 {
		return faults
	}
	d.placeSecrets()
	return d.findConflicts(settings)
}

// readSecrets reads the secret files. A secret that is set both directly and by a file is a
// fault, unless one setting is a variable and the other is in the configuration file: then the
// variable wins.
func (d *draft) readSecrets(settings map[string]setting) []Fault {
	var faults []Fault
	for _, k := range listKeys() {
		name, ok := d.secretFiles[k.path]
		if !k.secret || !ok {
			continue
		}
		file := settings[k.path+"_file"]
		if direct, both := settings[k.path]; both {
			fromFile, fromDirect := file.at.Line > 0, direct.at.Line > 0
			if fromFile == fromDirect {
				faults = append(faults, file.newFault("is set together with %s; keep one of them", k.path))
				continue
			}
			if fromFile {
				continue
			}
		}
		content, err := readFile(name)
		if err != nil {
			faults = append(faults, file.newFault("%s", err))
			continue
		}
		secret := strings.TrimRight(string(content), "\r\n")
		if secret == "" {
			faults = append(faults, file.newFault("%s is empty", name))
			continue
		}
		check := checkSecret
		if k.url {
			check = checkDatabaseURL
		}
		if err := check(secret); err != nil {
			faults = append(faults, file.newFault("%s: its content %s", name, err))
			continue
		}
		d.secrets[k.path] = secret
		if d.SecretFiles == nil {
			d.SecretFiles = map[string]string{}
		}
		d.SecretFiles[k.path+"_file"] = name
	}
	return faults
}

// placeSecrets copies the secrets into the configuration.
func (d *draft) placeSecrets() {
	main := d.secrets["database.url"]
	d.Database.URL = seal.NewSecret(main)
	d.Database.DirectURL = seal.NewSecret(main)
	if u := d.secrets["database.direct_url"]; u != "" {
		d.Database.DirectURL = seal.NewSecret(withUser(u, main))
	}
	if u := d.secrets["database.replica_url"]; u != "" {
		d.Database.ReplicaURL = seal.NewSecret(withUser(u, main))
	}
	d.Speech.APIKey = seal.NewSecret(d.secrets["speech.api_key"])
	d.Prose.APIKey = seal.NewSecret(d.secrets["prose.api_key"])
	d.OIDC.ClientSecret = seal.NewSecret(d.secrets["oidc.client_secret"])
}

// withUser adds the user and password of main to a connection URL that names no user.
func withUser(raw, main string) string {
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || u.Query().Has("user") {
		return raw
	}
	m, err := url.Parse(main)
	if err != nil || m.User == nil {
		return raw
	}
	u.User = m.User
	return u.String()
}

// findConflicts reports keys that cannot be combined.
func (d *draft) findConflicts(settings map[string]setting) []Fault {
	var faults []Fault
	together := func(wrong bool, path, detail string) {
		if wrong {
			faults = append(faults, settings[path].newFault("%s", detail))
		}
	}
	together(d.Database.Pooler == PoolerTransaction && d.secrets["database.direct_url"] == "", "database.pooler",
		"transaction requires database.direct_url, because migrations and LISTEN bypass the pooler")
	together(d.TLS.CertFile != "" && d.TLS.KeyFile == "", "tls.cert_file", "requires tls.key_file too")
	together(d.TLS.KeyFile != "" && d.TLS.CertFile == "", "tls.key_file", "requires tls.cert_file too")
	together(d.Speech.URL != "" && d.Speech.Model == "", "speech.url", "requires speech.model too")
	together(d.Prose.URL != "" && d.Prose.Model == "", "prose.url", "requires prose.model too")
	together(d.OIDC.Issuer != "" && (d.OIDC.ClientID == "" || d.OIDC.ClientSecret.IsZero()), "oidc.issuer",
		"requires oidc.client_id and oidc.client_secret_file too")
	together(d.OIDC.ClientID != "" && d.OIDC.Issuer == "", "oidc.client_id", "requires oidc.issuer too")
	together(len(d.OIDC.Roles) > 0 && d.OIDC.Issuer == "", "oidc.roles", "requires oidc.issuer too")
	return append(faults, d.checkLists(settings)...)
}

func (d *draft) checkLists(settings map[string]setting) []Fault {
	var faults []Fault
	if len(d.Interviews.Languages) == 0 {
		faults = append(faults, settings["interviews.languages"].newFault("must name at least one language"))
	}
	addresses := map[string]string{}
	for _, l := range []struct{ path, address string }{
		{"listen", d.Listen}, {"debug.syncd", d.Debug.Syncd}, {"debug.apiserver", d.Debug.APIServer},
	} {
		other, taken := addresses[l.address]
		addresses[l.address] = l.path
		if !taken || strings.HasSuffix(l.address, ":0") {
			continue
		}
		s, ok := settings[l.path]
		if !ok { // the default conflicts with a value that was set
			s = settings[other]
			s.at.Key, other = other, l.path
		}
		faults = append(faults, s.newFault("%s is already the address of %s", l.address, other))
	}
	return faults
}

// Require checks that the keys of the paths are set, for commands that cannot
// do without them; database.url, keyring_file and public_url can be asked for.
func (c Config) Require(paths ...string) error {
	set := map[string]bool{
		"database.url": !c.Database.URL.IsZero(),
		"keyring_file": c.KeyringFile != "",
		"public_url":   c.PublicURL != "",
	}
	var faults []Fault
	for _, path := range paths {
		if set[path] {
			continue
		}
		how := "set it in the file or as " + Variable(path)
		switch path {
		case "database.url":
			how = "set it, database.url_file or " + Variable(path)
		case "keyring_file":
			how += "; `apiserver keyring new` makes a keyring"
		}
		fault := Fault{Key: path, Detail: "is needed here; " + how}
		if c.emptied[path] {
			fault.Source, fault.Detail = Variable(path), "is needed here, but the variable is empty; "+how
		}
		faults = append(faults, fault)
	}
	if len(faults) > 0 {
		return &Error{faults}
	}
	return nil
}
