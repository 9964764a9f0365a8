package clients_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// repository is the folder of all sources.
var repository = filepath.Join("..", "..")

// block is a fenced block of a document.
type block struct {
	place    string // document and line
	language string // empty, like sh and console, for commands
	skipped  string // why its commands are not run
	text     string
}

var (
	// fence begins or ends a block, which may be indented in a list.
	fence = regexp.MustCompile("^ *```([a-z]*)$")
	// mark is the line before a block whose commands cannot be run here. Readers do not see it.
	mark = regexp.MustCompile(`^ *<!-- not run: (.+) -->$`)
	// assigned is a variable that a reader of a document fills in.
	assigned = regexp.MustCompile(`(?m)^([A-Z_]+)=(\S*)( .*)?$`)
	// picked is the name of a member or cookie whose value is taken from a response.
	picked = regexp.MustCompile(`\bid\b|[\w-]*_[\w]+`)
)

// listDocuments lists the documents whose commands are checked: README and everything in docs.
func listDocuments(t *testing.T) (names []string) {
	t.Helper()
	names = append(names, "README.md")
	check(t, filepath.WalkDir(filepath.Join(repository, "docs"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) == ".md" {
			var name string
			name, err = filepath.Rel(repository, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	return names
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(name)))
	check(t, err)
	return string(content)
}

// findBlocks returns the fenced blocks of a document.
func findBlocks(name, document string) (found []block) {
	var open *block
	before := ""
	for number, line := range strings.Split(document, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case m != nil && open != nil:
			found, open = append(found, *open), nil
		case m != nil:
			open = &block{place: fmt.Sprintf("%s:%d", name, number+1), language: m[1]}
			if reason := mark.FindStringSubmatch(before); reason != nil {
				open.skipped = reason[1]
			}
		case open != nil:
			open.text += line + "\n"
		}
		before = line
	}
	return found
}

// hasCommands reports whether the block is one of commands.
func (b block) hasCommands() bool { return slices.Contains([]string{"", "sh", "console"}, b.language) }

// runs reports whether the block's commands are run. Targets of the Makefile are not: tests
// have been started by one of them, and `make run` is what the commands are sent to.
func (b block) runs() bool {
	return b.hasCommands() && b.skipped == "" && !strings.HasPrefix(strings.TrimSpace(b.text), "make ")
}

// prelude makes a script out of commands. It keeps the last response, from which `pick NAME`
// takes the value of a member or cookie, as a reader does.
const prelude = `set -e
curl() { local code=0; last=$(command curl --fail-with-body --show-error "$@") || code=$?; echo "$last"; return $code; }
pick() { [[ $last =~ (\"$1\":\"|$1=)([^\"\;]+) ]] && echo "${BASH_REMATCH[2]}"; }
apiserver() { "$APISERVER" "$@"; }
`

// writeScript makes one script out of the commands of a document, with the values that a
// reader fills in.
func writeScript(t *testing.T, name string, values map[string]string) (script string, commands int) {
	t.Helper()
	script = prelude
	for variable, value := range values {
		script += fmt.Sprintf("%s=%q\n", variable, value)
	}
	script += `auth="Authorization: Bearer $KEY"; json="Content-Type: application/json"` + "\n"
	for _, b := range findBlocks(name, readDocument(t, name)) {
		if !b.runs() {
			continue
		}
		commands++
		script += assigned.ReplaceAllStringFunc(b.text, func(line string) string {
			m := assigned.FindStringSubmatch(line)
			if _, known := values[m[1]]; known {
				return "" // as it is set above
			}
			member := picked.FindString(m[3])
			if member == "" {
				t.Errorf("%s: nothing says which value %s has", b.place, m[1])
			}
			return fmt.Sprintf("%s=$(pick %s)", m[1], member)
		})
	}
	return script, commands
}

// runDocuments runs the commands of all documents against what `make run` has started, as a
// reader would type them. A command that fails, or that the API refuses, fails the test.
func (d *demo) runDocuments(t *testing.T) {
	t.Helper()
	newcomer := *d // connects the platforms for the first time
	newcomer.found(t, "Gamma Capital", "gamma@firm.example")
	for _, name := range listDocuments(t) {
		// The organization of `make run`, or the one whose interview has been completed.
		reader := api{url: d.url, key: d.printed}
		switch filepath.Base(name) {
		case "platform.md", "third-party-platform.md":
			reader.key = newcomer.key
		case "interviews.md":
			reader.key = d.key
		}
		script, commands := writeScript(t, name, d.listValues(t, name, reader))
		if commands == 0 {
			continue
		}
		for example, actual := range map[string]string{
			"http://127.0.0.1:8080": d.url, "https://hooks.example.com/assay": d.receiver + "/webhooks", `"My firm"`: `"Demo"`,
		} {
			script = strings.ReplaceAll(script, example, actual)
		}
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir, cmd.Env = d.layFiles(t), append(os.Environ(), "APISERVER="+program(t, "apiserver"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("the commands of %s: %v\n%s", name, err, out)
		}
	}
}

// layFiles returns a folder with the files that the documents' commands read.
func (d *demo) layFiles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	check(t, os.Symlink(d.config, filepath.Join(dir, "assay.yaml")))
	for name, text := range map[string]string{
		"statement.csv": "Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n" +
			"1,EURUSD,buy,0.5,2026-06-15 08:00:00,2026-06-15 09:00:00,1.1,1.2,1.25\n",
		"calendar.csv": "time,currency,impact\n2026-11-06T13:30:00Z,USD,high\n",
	} {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// listValues returns what a reader of the document fills in for the variables.
func (d *demo) listValues(t *testing.T, name string, reader api) map[string]string {
	t.Helper()
	values := map[string]string{
		"API": d.url, "KEY": reader.key, "PLATFORM": d.platform, "PLATFORM_KEY": d.accepts, "EMAIL": d.owner, "PASSWORD": d.password,
	}
	kind := "custom_api"
	if filepath.Base(name) == "third-party-platform.md" {
		kind, values["PLATFORM"], values["PLATFORM_KEY"] = "partner_platform", d.partner, d.partnerAccepts
	}
	for variable, list := range map[string]string{
		"TRADER":    "/v1/traders?limit=1&search=mason+hall",
		"INTERVIEW": "/v1/interviews?limit=1&status=completed",
		"DELIVERY":  "/v1/webhooks/" + reader.first(t, "/v1/webhooks", nil) + "/deliveries?limit=1&status=succeeded",
	} {
		if id := reader.first(t, list, nil); id != "" {
			values[variable] = id
		}
	}
	// The tutorial shows the trades of the trader, and compares answers with them.
	if id, trades := values["TRADER"], "/trades?limit=1&state=closed"; name == "docs/tutorial.md" && reader.first(t, "/v1/traders/"+id+trades, nil) == "" {
		t.Errorf("the trader of %s has no trades", name)
	}
	if id := reader.first(t, "/v1/integrations", map[string]any{"kind": kind}); id != "" {
		values["ID"] = id
	}
	return values
}

// first returns the id of the first item of a list that has these members, or an empty string.
func (a api) first(t *testing.T, list string, members map[string]any) string {
	t.Helper()
	status, text := a.do(t, http.MethodGet, list, a.key, "")
	if status == http.StatusNotFound {
		return ""
	}
	var page struct{ Data []map[string]any }
	check(t, json.Unmarshal([]byte(text), &page))
	for _, item := range page.Data {
		same := true
		for name, value := range members {
			same = same && item[name] == value
		}
		if id, ok := item["id"].(string); ok && same {
			return id
		}
	}
	return ""
}
