package clients_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/assayhq/assay/store/storetest"
)

// screen is a terminal on which a command runs, and what it has shown so far.
type screen struct {
	terminal *os.File
	began    time.Time
	ended    chan struct{} // closed when the command has closed the terminal

	mu    sync.Mutex
	shown []output
}

// output is what a terminal got at a time.
type output struct {
	after time.Duration // since the command began
	text  string
}

// The size of the terminal in characters.
const (
	screenColumns = 110
	screenRows    = 12
)

// onScreen starts a command on a terminal of its own.
func onScreen(t *testing.T, cmd *exec.Cmd) *screen {
	t.Helper()
	cmd.Stdin = nil // the terminal
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: screenRows, Cols: screenColumns})
	check(t, err)
	s := &screen{terminal: terminal, began: time.Now(), ended: make(chan struct{})}
	go s.keepOutput()
	t.Cleanup(func() { _ = terminal.Close(); <-s.ended })
	return s
}

// keepOutput keeps what the terminal gets, until the command has closed it, which Linux reports as an error.
func (s *screen) keepOutput() {
	defer close(s.ended)
	buffer := make([]byte, 4096)
	for {
		n, err := s.terminal.Read(buffer)
		if n > 0 {
			s.mu.Lock()
			s.shown = append(s.shown, output{time.Since(s.began), string(buffer[:n])})
			s.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// readText returns all that the terminal has shown.
func (s *screen) readText() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, o := range s.shown {
		b.WriteString(o.text)
	}
	return b.String()
}

// sees waits until the terminal shows the text.
func (s *screen) sees(t *testing.T, text string) {
	t.Helper()
	storetest.Within(t, patience, "the terminal shows "+text, func() bool { return strings.Contains(s.readText(), text) })
}

// pressKey sends a key to the command, such as Ctrl-C.
func (s *screen) pressKey(t *testing.T, key byte) {
	t.Helper()
	_, err := s.terminal.Write([]byte{key})
	check(t, err)
}

// ctrlC is what a terminal sends for Ctrl-C.
const ctrlC = 3

// asciicast returns the recording (asciicast, version 2), which begins with the command line.
func (s *screen) asciicast(t *testing.T, title, commandLine string) []byte {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	check(t, encoder.Encode(map[string]any{"version": 2, "width": screenColumns, "height": screenRows, "title": title}))
	check(t, encoder.Encode([]any{0, "o", "$ " + commandLine + "\r\n"}))
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.shown {
		check(t, encoder.Encode([]any{o.after.Seconds(), "o", o.text}))
	}
	return b.Bytes()
}

// readAsciicast returns all that a recording shows.
func readAsciicast(t *testing.T, cast []byte) string {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(cast), []byte("\n"))
	var b strings.Builder
	for _, line := range lines[1:] {
		var event [3]any
		check(t, json.Unmarshal(line, &event))
		b.WriteString(event[2].(string))
	}
	return b.String()
}

// changing matches what differs between two runs of the same commands: ids, ports, and times.
var changing = regexp.MustCompile(`evt_[0-9a-f]{32}|127\.0\.0\.1:[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{5,8}(\.[0-9]+)?(Z| UTC)?`)

// withoutChanging returns the text without what differs between two runs.
func withoutChanging(text string) string { return changing.ReplaceAllString(text, "…") }
