package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
)

// jumpingClock is a setting of command: the syncd's clock jumps each second by an hour, from an
// hour behind the machine's clock to an hour ahead of it and back.
const jumpingClock = "TEST_CLOCK=jumping"

// buildJumping builds the test binary with another time.Now. It builds everything anew, which
// takes minutes the first time.
var buildJumping = sync.OnceValues(func() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	dir, err := programs()
	if err != nil {
		return "", err
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
	if err = errors.Join(err, os.WriteFile(replaced, changed, 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
		return "", err
	}
	return buildProgram("syncd.jumping", "test", "-c", "-overlay", overlay)
})

// TestChaosClock lets the clock of one of two syncds jump by an hour each second, while the
// platform changes, cycles are requested and events are delivered. Now and then one of the two is
// killed and started again.
func TestChaosClock(t *testing.T) {
	if testing.Short() {
		t.Skip("builds everything anew")
	}
	chaostest.Fault{Name: "a clock that jumps by an hour each second", Small: 1, Large: 40, Width: 4, Limit: shortLease + time.Second}.Each(t, func(t *testing.T, r *chaostest.Run) {
		s := newSceneOn(t, r, storetest.URL(t), r.Between(1000, 3000))
		clocks := [][]string{{jumpingClock}, nil}
		syncds := s.start(t, 1, clocks[0]...)
		s.begin(t)
		storetest.Eventually(t, "the one with the jumping clock is or was at work", func() bool { return s.holder(t) != nil || s.over(t) })
		syncds = append(syncds, s.start(t, 1)...)
		for range r.Between(3, 8) {
			s.happen(t)
			time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond) // the moment is the run's choice; nothing depends on it
			if r.IntN(2) == 0 {
				n := r.IntN(2)
				if s.holder(t) == syncds[1-n] {
					n = 1 - n
				}
				s.killSyncd(t, syncds[n])
				syncds[n] = s.start(t, 1, clocks[n]...)[0]
			}
		}
		s.settled(t)
	})
}
