package configs

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
)

// maxFile limits the size of the configuration file and of each secret file.
const maxFile = 1 << 20

// setting is the value that a file or a variable gives one key.
type setting struct {
	items []string
	at    Fault // where the setting was found: Source, Line, Column and Key
}

// newFault returns the fault of the setting with the detail.
func (s setting) newFault(format string, args ...any) Fault {
	f := s.at
	f.Detail = fmt.Sprintf(format, args...)
	return f
}

// Load reads the file at path, if path is not empty, and then the variables in environ (in the
// form of os.Environ). The *Error that it returns holds every fault, including a file that cannot
// be read.
func Load(path string, environ []string) (Config, error) {
	var content []byte
	if path != "" {
		var err error
		if content, err = readFile(path); err != nil {
			return Config{}, &Error{[]Fault{{Detail: err.Error()}}}
		}
	}
	return Parse(path, content, environ)
}

// Parse is like Load for a file whose content has been read already. Faults call the file name.
// Secret files are still read from disk.
func Parse(name string, content []byte, environ []string) (Config, error) {
	settings, faults := parseFile(name, content)
	variables, more := parseEnvironment(environ)
	faults = append(faults, more...)
	d := &draft{Config: Defaults(), secrets: map[string]string{}, secretFiles: map[string]string{}}
	d.emptied = map[string]bool{}
	for path, v := range variables {
		if d.emptied[path] = len(v.items) == 0; d.emptied[path] {
			delete(settings, path)
			continue
		}
		settings[path] = v
	}

	for _, k := range listKeys() {
		s, ok := settings[k.path]
		if !ok {
			continue
		}
		if err := k.set(d, s.items); err != nil {
			faults = append(faults, s.newFault("%s", err))
		}
	}
	if len(faults) == 0 {
		faults = d.resolveSecrets(settings)
	}
	if len(faults) > 0 {
		slices.SortStableFunc(faults, func(a, b Fault) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Source, b.Source))
		})
		return Config{}, &Error{faults}
	}
	return d.Config, nil
}

// readFile reads a file of bounded size, without the byte order mark that editors on Windows write
// at its beginning. Its error names the file.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("read %s: larger than %d bytes", path, maxFile)
	}
	return bytes.TrimPrefix(content, []byte("\ufeff")), nil
}
