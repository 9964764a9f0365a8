package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const aboutConfiguration = `# Configuration

<!-- Generated from configs/sample.yaml by go generate ./configs: edit that file. -->

syncd and apiserver read the same YAML file, named by ` + "`--config`" + `. An unknown key or a wrong value is an error that names the line and the valid choices.

Every key can also be set as an environment variable, which wins over the file: ` + "`ASSAY_`" + ` and the path in capitals, such as ` + "`ASSAY_SYNC_HISTORY_DAYS=90`" + `. Put secrets into
a variable or into a file that a key ending in ` + "`_file`" + ` names.
`

// renderConfiguration renders the keys of configs/sample.yaml, which lists every key with its
// default and description. Tests in configs compare the sample with keys.go.
func renderConfiguration(root string) (string, error) {
	content, err := os.ReadFile(filepath.Join(root, "configs", "sample.yaml"))
	if err != nil {
		return "", err
	}
	return aboutConfiguration + renderSections(parseSample(string(content))), nil
}

// section is a group of keys: those below one top-level key, or all top-level keys that have a
// value of their own.
type section struct {
	name, about string
	keys        []entry
}

// entry is a key with its default, which is empty if the key is off by default.
type entry struct{ path, value, about string }

// parseSample reads the sample, whose layout is checked by tests in configs: two levels, with the
// description of a key in the comment lines directly above it.
func parseSample(sample string) []section {
	sections := []section{{name: "General"}}
	var comment []string
	for line := range strings.Lines(sample) {
		text := strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(text, "#"); ok {
			comment = append(comment, strings.TrimSpace(rest))
			continue
		}
		about := strings.Join(comment, " ")
		comment = nil // also at an empty line: a comment above one describes the file
		if text == "" {
			continue
		}
		name, value, _ := strings.Cut(text, ":")
		value = strings.TrimSpace(value)
		switch last := &sections[len(sections)-1]; {
		case strings.HasPrefix(line, " "):
			last.keys = append(last.keys, entry{last.name + "." + name, value, about})
		case opensSection(sample, line):
			sections = append(sections, section{name: name, about: about})
		default:
			sections[0].keys = append(sections[0].keys, entry{name, value, about})
		}
	}
	return sections
}

// opensSection reports whether indented lines follow a line.
func opensSection(sample, line string) bool {
	_, after, _ := strings.Cut(sample, "\n"+line)
	return strings.HasPrefix(after, "  ")
}

// renderSections makes a heading and a table of each section.
func renderSections(sections []section) string {
	var b strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.name)
		if s.about != "" {
			fmt.Fprintf(&b, "%s\n\n", s.about)
		}
		b.WriteString("| key | default | description |\n|---|---|---|\n")
		for _, k := range s.keys {
			value := "none"
			if k.value != "" {
				value = "`" + k.value + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.path, value, strings.ReplaceAll(k.about, "|", `\|`))
		}
	}
	return b.String()
}
