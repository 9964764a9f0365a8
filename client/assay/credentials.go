package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"

	assay "github.com/assayhq/assay/client/go"
)

// credentials is what login stores.
type credentials struct {
	URL string `json:"url"`
	Key string `json:"api_key"`
}

// credentialsPath is the file in the user's configuration directory.
func credentialsPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the directory for the key: %w", err)
	}
	return filepath.Join(dir, "assay", "credentials.json"), nil
}

// loadCredentials returns what is stored; nothing is stored before the first login.
func loadCredentials() (credentials, error) {
	var c credentials
	path, err := credentialsPath()
	if err != nil {
		return c, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%s cannot be read, run assay login again: %w", path, err)
	}
	return c, nil
}

// writeFile stores the credentials where only the user can read them.
func (c credentials) writeFile() (path string, err error) {
	if path, err = credentialsPath(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	text, err := json.Marshal(c) //nolint:gosec // the file is for the key
	if err != nil {
		return "", err
	}
	// A new file, because an old one may be readable by others.
	file, err := os.CreateTemp(filepath.Dir(path), "credentials-")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name()) // gone after the renaming
	if err := errors.Join(file.Chmod(0o600), writeAll(file, text), file.Close()); err != nil {
		return "", err
	}
	return path, os.Rename(file.Name(), path)
}

func writeAll(file *os.File, text []byte) error {
	_, err := file.Write(text)
	return err
}

// newClient returns a client with the credentials.
func newClient(c credentials) (*assay.Client, error) {
	client, err := assay.New(c.URL, c.Key)
	if err != nil {
		return nil, usageError{err}
	}
	return client, nil
}

// isUnprotected reports whether a key that is sent to the URL can be read on its way.
func isUnprotected(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "https" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}
