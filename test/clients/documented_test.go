package clients_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/store/storetest"
)

var (
	inlined    = regexp.MustCompile("`([^`\n]+)`")
	route      = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE|HEAD) (…?)(/\S*)$`)
	flagged    = regexp.MustCompile(`^--?[a-z][a-z-]*`)
	metric     = regexp.MustCompile(`\bassay_[a-z_]+\b`)
	variable   = regexp.MustCompile(`\bASSAY_(DATABASE|OIDC|WORKERS|BLOBS|EGRESS|LOG|SYNC)_[A-Z_]+\b`)
	member     = regexp.MustCompile(`"([a-z_]+)":`)
	selection  = regexp.MustCompile(`^(SELECT|EXPLAIN) `)
	ownProgram = regexp.MustCompile(`^(bin/)?(apiserver|syncd|contracttest|assay)$`)
	// demoPort is a port that make run takes, beside which the reader types the other commands.
	demoPort = regexp.MustCompile(`:(8080|8443|8444|8445|9101|9102)$`)
	// configured is a key of the configuration within a section.
	configured = regexp.MustCompile(`^[a-z]+\.[a-z_]+$`)
)

// foreign are programs of others, which a document may name. Files of the repository among
// their arguments have to exist.
var foreign = []string{
	"apt-get", "chmod", "chown", "curl", "dnf", "docker", "export", "helm", "kubectl", "npm", "npx", "pg_dump", "pg_restore", "rsync", "sha256sum", "systemctl", "whisper-server", "cp", "journalctl", "jq", "kill", "for", "do", "done", "go", "make",
}

// checker checks what documents say against the programs and the sources.
type checker struct {
	t        *testing.T
	paths    []string        // of the API
	document string          // that describes the API
	keys     map[string]bool // of the configuration, and their variables
	metrics  string          // the document that lists them
	makefile string
	help     map[string]string // by command
}

func newChecker(t *testing.T) *checker {
	c := checker{
		t: t, document: readDocument(t, "apiserver/openapi/openapi.json"), metrics: readDocument(t, "docs/reference/metrics.md"),
		makefile: readDocument(t, "Makefile"), help: make(map[string]string), keys: make(map[string]bool),
	}
	var api struct{ Paths map[string]map[string]any }
	check(t, json.Unmarshal([]byte(c.document), &api))
	for path, operations := range api.Paths {
		for method := range operations {
			c.paths = append(c.paths, strings.ToUpper(method)+" "+path)
		}
	}
	for _, key := range configs.Keys() {
		c.keys[key], c.keys[configs.Variable(key)] = true, true
	}
	return &c
}

// TestDocumentedCommands checks what README and docs name: routes, commands with their flags,
// targets of the Makefile, files, metrics, keys of the configuration and statements. It also
// sees to it that each block is one whose content some test checks. It takes long because it asks each
// command of the programs for its help.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	db := storetest.Conn(t, storetest.URL(t))
	for _, name := range listDocuments(t) {
		text := readDocument(t, name)
		for _, b := range findBlocks(name, text) {
			for _, fault := range c.checkBlock(b) {
				t.Errorf("%s: %s", b.place, fault)
			}
		}
		for number, line := range strings.Split(text, "\n") {
			for _, code := range inlined.FindAllStringSubmatch(line, -1) {
				fault := c.checkInline(code[1])
				if selection.MatchString(code[1]) && !strings.HasSuffix(code[1], "ANALYZE, BUFFERS)") {
					if _, err := db.Exec(t.Context(), "EXPLAIN "+code[1]); err != nil {
						fault = err.Error()
					}
				}
				if fault != "" {
					t.Errorf("%s:%d: `%s`: %s", name, number+1, code[1], fault)
				}
			}
		}
	}
}

// checkBlock returns what is wrong with a block.
func (c *checker) checkBlock(b block) (faults []string) {
	switch {
	case b.hasCommands():
		for _, command := range splitCommands(b.text) {
			fault := c.checkCommand(command, b.runs())
			if address := slices.Index(command, "--listen") + 1; fault == "" && address > 0 && demoPort.MatchString(command[address]) {
				fault = "make run listens there"
			}
			if fault != "" {
				faults = append(faults, fmt.Sprintf("%s: %s", strings.Join(command, " "), fault))
			}
		}
	case b.language == "json":
		for _, m := range member.FindAllStringSubmatch(b.text, -1) {
			if !strings.Contains(c.document, `"`+m[1]+`"`) {
				faults = append(faults, "the API has no member "+m[1])
			}
		}
	case b.language == "yaml":
		secret := filepath.Join(c.t.TempDir(), "secret") // in the place of each file that it names
		check(c.t, os.WriteFile(secret, []byte("secret\n"), 0o600))
		text := regexp.MustCompile(`(_file: )\S+`).ReplaceAllString(b.text, "${1}"+secret)
		if _, err := configs.Parse(b.place, []byte(text), nil); err != nil {
			for fault := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.Contains(fault, ": requires ") { // a block may show a part of its section
					faults = append(faults, fault)
				}
			}
		}
	case b.language == "text", b.language == "ts", b.language == "sql": // a picture; TestDocumentedTypeScript; TestDocumentedRoles
	default:
		faults = append(faults, "no test checks blocks of "+b.language)
	}
	return faults
}

// splitCommands returns the words of each command of a script.
func splitCommands(script string) (commands [][]string) {
	script = strings.ReplaceAll(script, "\\\n", " ")
	script = regexp.MustCompile(`(?s)(-d|--data-binary) ('[^']*'|"(\\.|[^"\\])*")`).ReplaceAllString(script, "$1 BODY")
	for line := range strings.Lines(script) {
		line, _, _ = strings.Cut(line, " #")
		for part := range strings.SplitSeq(strings.NewReplacer("&&", "\x00", ";", "\x00").Replace(line), "\x00") {
			if words := strings.Fields(part); len(words) > 0 && !strings.Contains(words[0], "=") {
				commands = append(commands, words)
			}
		}
	}
	return commands
}

// checkInline returns what is wrong with code within a sentence, or an empty string.
func (c *checker) checkInline(code string) string {
	words := strings.Fields(code)
	if len(words) == 0 {
		return ""
	}
	for _, name := range metric.FindAllString(code, -1) {
		if !strings.Contains(c.metrics, name) && !strings.HasPrefix(code, "__Host-") {
			return "there is no metric " + name
		}
	}
	for _, name := range variable.FindAllString(code, -1) {
		if !c.keys[name] {
			return "there is no such key of the configuration"
		}
	}
	section, _, _ := strings.Cut(code, ".")
	if configured.MatchString(code) && c.hasSection(section) && !c.keys[code] {
		return "there is no such key of the configuration"
	}
	if m := route.FindStringSubmatch(code); m != nil {
		return c.checkRoute(m[1], m[2] != "", m[3])
	}
	if len(words) > 1 && (ownProgram.MatchString(words[0]) || words[0] == "make") && !strings.Contains(code, "|") {
		return c.checkCommand(words, false)
	}
	return ""
}

func (c *checker) hasSection(name string) bool {
	for key := range c.keys {
		if strings.HasPrefix(key, name+".") {
			return true
		}
	}
	return false
}

// checkRoute returns what is wrong with a route. Its beginning may be left out.
func (c *checker) checkRoute(method string, partly bool, path string) string {
	path, _, _ = strings.Cut(path, "?")
	if !partly && !strings.HasPrefix(path, "/v1/") {
		return "" // TestDocumentedRoutes of apiserver knows the others
	}
	shape := shapeOf(method + " " + path)
	for _, known := range c.paths {
		known = shapeOf(known)
		if known == shape {
			return ""
		}
		if rest, ok := strings.CutPrefix(known, method+" "); ok && partly && strings.HasSuffix(rest, strings.TrimPrefix(shape, method+" ")) {
			return ""
		}
	}
	return "there is no such route"
}

// shapeOf returns a route with its parameters made equal, however they are named.
func shapeOf(path string) string {
	return regexp.MustCompile(`\{[^}]+\}|\$[A-Z_]+`).ReplaceAllString(path, "{}")
}

// checkCommand returns what is wrong with a command, or an empty string. That a command is run
// says more than its words.
func (c *checker) checkCommand(words []string, runs bool) string {
	for _, word := range words {
		if strings.HasPrefix(word, "configs/") || strings.HasPrefix(word, "./internal/") {
			if _, err := os.Stat(filepath.Join(repository, word)); err != nil {
				return err.Error()
			}
		}
	}
	program := filepath.Base(words[0])
	switch {
	case program == "make":
		return c.checkTarget(words[1:])
	case ownProgram.MatchString(words[0]):
		return c.checkOwn(program, words[1:])
	case program == "go" && words[1] == "test":
		return c.checkTests(words[2], strings.Join(words, " "))
	case program == "npm", program == "npx":
		return c.checkPackages(words[1:])
	case program == "curl" && !runs && strings.Contains(strings.Join(words, " "), "$API"):
		path := regexp.MustCompile(`\$API(/[^"]*)`).FindStringSubmatch(strings.Join(words, " "))
		if path == nil {
			return "no rule for this request"
		}
		return c.checkRoute("GET", false, path[1])
	case !runs && !slices.Contains(foreign, program):
		return "no rule for this program"
	}
	return ""
}

// checkTarget checks a target of the Makefile and the flags that it is given.
func (c *checker) checkTarget(words []string) string {
	if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(words[0]) + `:`).MatchString(c.makefile) {
		return "there is no such target"
	}
	sources, err := filepath.Glob(filepath.Join(repository, "internal", "dev", "*.go"))
	check(c.t, err)
	var code strings.Builder
	for _, name := range sources {
		text, err := os.ReadFile(name)
		check(c.t, err)
		code.Write(text)
	}
	for _, flag := range regexp.MustCompile(`[ "'=]--?([a-z][a-z-]+)`).FindAllStringSubmatch(strings.Join(words[1:], " "), -1) {
		if !strings.Contains(code.String(), `"`+flag[1]+`"`) && !strings.Contains(code.String(), "-"+flag[1]) {
			return "there is no flag " + flag[1]
		}
	}
	return ""
}

// checkOwn checks a command of one of assay's programs against what its help says.
func (c *checker) checkOwn(program string, words []string) string {
	command := []string{program}
	for _, word := range words {
		if !regexp.MustCompile(`^[a-z][a-z-]+$`).MatchString(word) || len(command) > 2 {
			break
		}
		command = append(command, word)
	}
	name := strings.Join(command, " ")
	if _, known := c.help[name]; !known {
		out, err := exec.Command(c.program(program), append(command[1:], "--help")...).CombinedOutput()
		if err != nil {
			return fmt.Sprintf("%s --help: %v: %.200s", name, err, out)
		}
		c.help[name] = string(out)
	}
	if !strings.Contains(c.help[name], name) && program != "contracttest" {
		return "the help does not know " + name
	}
	for _, word := range words {
		if f := flagged.FindString(word); f != "" && f != "--help" && f != "--version" && !strings.Contains(c.help[name], "-"+strings.TrimLeft(f, "-")) {
			return "there is no flag " + f
		}
	}
	return ""
}

func (c *checker) program(name string) string { return program(c.t, name) }

// checkTests checks that the tests of a go test command exist, with the flags that they define.
func (c *checker) checkTests(folder, command string) string {
	files, err := filepath.Glob(filepath.Join(repository, filepath.FromSlash(folder), "*_test.go"))
	check(c.t, err)
	var code strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		check(c.t, err)
		code.Write(text)
	}
	for _, name := range regexp.MustCompile(`\bTest\w+`).FindAllString(command, -1) {
		if !strings.Contains(code.String(), "func "+name+"(") {
			return "there is no " + name
		}
	}
	for _, flag := range regexp.MustCompile(` -(\w+)`).FindAllStringSubmatch(command, -1) {
		if !slices.Contains([]string{"run", "v", "bench", "benchtime", "count", "tags", "race"}, flag[1]) && !strings.Contains(code.String(), `("`+flag[1]+`"`) {
			return "there is no flag " + flag[1]
		}
	}
	return ""
}

// checkPackages checks that the tests use the packages that a reader is told to install.
func (c *checker) checkPackages(words []string) string {
	var listed struct{ DevDependencies map[string]string }
	check(c.t, json.Unmarshal([]byte(readDocument(c.t, "test/clients/package.json")), &listed))
	for _, word := range words {
		name, version, _ := strings.Cut(word, "@")
		if slices.Contains([]string{"install", "npm"}, name) || strings.HasPrefix(name, "-") {
			continue
		}
		have, ok := listed.DevDependencies[name]
		if !ok && (words[0] == "install" || word == words[0]) {
			return "the tests do not use " + name
		}
		if !strings.HasPrefix(have, version) {
			return fmt.Sprintf("the tests use %s %s", name, have)
		}
	}
	return ""
}

// TestDocumentedRoles runs the statements of the documents on a server of its own, because roles
// belong to all databases of a server. It takes long because it starts a server of Postgres.
func TestDocumentedRoles(t *testing.T) {
	t.Parallel()
	server := storetest.NewServer(t, "")
	db := storetest.Conn(t, server.URL)
	for _, name := range listDocuments(t) {
		for _, b := range findBlocks(name, readDocument(t, name)) {
			if b.language != "sql" {
				continue
			}
			if _, err := db.Exec(t.Context(), b.text); err != nil {
				t.Errorf("%s: %v", b.place, err)
			}
		}
	}
}

// TestDocumentedTypeScript compiles the TypeScript of the documents with the libraries that they name
// and with types made from the API's document. It takes long because it compiles the types of the
// whole document.
func TestDocumentedTypeScript(t *testing.T) {
	t.Parallel()
	dir := workspace(t, filepath.Join(repository, "apiserver", "openapi", "openapi.json"))
	if out, ok := node(t, dir, nil, "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--default-non-nullable=false", "--output", "schema.d.ts"); !ok {
		t.Fatalf("openapi-typescript:\n%s", out)
	}
	args := []string{"node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"}
	// What the reader's own code has around the lines.
	const around = "declare const API: string, KEY: string, rawBody: string, request: { headers: Record<string, string> };\ndeclare function look(path: string): Promise<void>;\n"
	check(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o600))
	for _, name := range listDocuments(t) {
		for number, b := range findBlocks(name, readDocument(t, name)) {
			if b.language != "ts" {
				continue
			}
			file := fmt.Sprintf("%s.%d.ts", filepath.Base(name), number)
			check(t, os.WriteFile(filepath.Join(dir, file), []byte(around+b.text), 0o600))
			args = append(args, file)
		}
	}
	if out, ok := node(t, dir, nil, args...); !ok {
		t.Errorf("the TypeScript of the documents:\n%s", out)
	}
}
