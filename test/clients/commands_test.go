package clients_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// assigned is a variable that a reader of a document fills in.
var assigned = regexp.MustCompile(`(?m)^([A-Z_]+)=\S*( .*)?$`)

// findCommands returns the blocks of a document that name no language, as commands do.
func findCommands(document string) (found []string) {
	parts := strings.Split("\n"+document, "\n```")
	for i := 1; i < len(parts); i += 2 { // each second part lies between two fences
		if commands, ok := strings.CutPrefix(parts[i], "\n"); ok {
			found = append(found, commands+"\n")
		}
	}
	return found
}

// runDocuments runs the commands of README.md and the tutorial against what `make run`
// has started, as a reader would type them. A command that fails, or that the API
// refuses, fails the test.
func (d *demo) runDocuments(t *testing.T) {
	t.Helper()
	reader := api{url: d.url, key: d.printed}
	values := map[string]string{
		"API": d.url, "KEY": d.printed, "PLATFORM": d.platform, "PLATFORM_KEY": d.accepts,
		"TRADER": reader.call(t, "GET", "/v1/traders?search=hall&limit=1", nil, 200)["data"].([]any)[0].(map[string]any)["id"].(string),
	}
	for _, i := range reader.call(t, "GET", "/v1/integrations", nil, 200)["data"].([]any) {
		if i := i.(map[string]any); i["kind"] == "custom_api" {
			values["ID"] = i["id"].(string)
		}
	}
	for _, name := range []string{"README.md", "docs/tutorial.md"} {
		content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		check(t, err)
		script := "set -e\ncurl() { command curl --fail-with-body --show-error \"$@\"; echo; }\nKEY=" + d.printed + "\n"
		commands := 0
		for _, b := range findCommands(string(content)) {
			if !strings.Contains(b, "curl ") && !assigned.MatchString(b) {
				continue // it starts a program, or is a picture
			}
			commands += strings.Count(b, "curl ")
			script += assigned.ReplaceAllStringFunc(b, func(line string) string {
				variable, _, _ := strings.Cut(line, "=")
				return fmt.Sprintf("%s=%q", variable, values[variable])
			})
		}
		if commands == 0 {
			t.Errorf("%s has no commands", name)
		}
		script = strings.ReplaceAll(script, "http://127.0.0.1:8080", d.url)
		if out, err := exec.Command("bash", "-c", script).CombinedOutput(); err != nil {
			t.Errorf("the commands of %s: %v\n%s", name, err, out)
		}
	}
}
