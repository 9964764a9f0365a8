package chaostest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// JumpingClock writes into the folder what makes `go build -overlay` build a program with another
// time.Now, and returns the file to name: the program's clock jumps each second by an hour, from an
// hour behind the machine's clock to an hour ahead of it and back.
func JumpingClock(dir string) (overlay string, err error) {
	root, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	const reading = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	changed := bytes.Replace(source, []byte(reading), []byte(reading+"\tsec += 3600 * [...]int64{0, 1, 0, -1}[mono/1e9%4]\n"), 1)
	if bytes.Equal(changed, source) {
		return "", errors.New("time.Now does not begin as in Go 1.26: change the constant reading")
	}
	replaced, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: replaced}})
	return overlay, errors.Join(err, os.WriteFile(replaced, changed, 0o600), os.WriteFile(overlay, text, 0o600))
}
