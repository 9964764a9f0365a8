// Package attack attacks a deployment, one attack after the other, and checks what
// must hold: a few times among the ordinary tests, and at full size under
// `make attack`, which prints a table.
package attack_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/assayhq/assay/test/deploytest"
)

func TestMain(m *testing.M) { os.Exit(deploytest.Run(m)) }

// Variables by which `make attack` sets the scale; none of them is set in the
// ordinary tests.
const (
	scaleVariable  = "ASSAY_TEST_ATTACK"        // "full" selects each attack's full size
	nameVariable   = "ASSAY_TEST_ATTACK_NAME"   // a regular expression: other attacks are left out
	seedVariable   = "ASSAY_TEST_ATTACK_SEED"   // default 1
	reportVariable = "ASSAY_TEST_ATTACK_REPORT" // the file that gets a line of JSON, a row, for each attack
)

// attack is a row of the table.
type attack struct {
	name        string
	holds       string // what must hold, in a few words
	short, full int    // sizes
	unit        string // of the size
	// run attacks the site, fails the test if something does not hold, and returns what
	// was seen.
	run func(t *testing.T, s *site, size int) (seen string)
}

// listAttacks lists the attacks in their order.
func listAttacks() []attack {
	return []attack{
		{"slow requests", "cut off at the time limit; others answered", 60, 1000, "connections", attackSlowly},
		{"idle and streaming connections", "others answered; memory at most 256 MiB", 200, 4000, "connections", attackConnections},
		{"request smuggling", "no hidden request is carried out", 200, 4000, "requests", attackFraming},
		{"bombs", "refused; memory at most 256 MiB", 42, 420, "bodies", attackByBombs},
		{"changed media addresses", "none of them plays", 200, 5000, "addresses", attackAddresses},
		{"formulas in exports", "no cell begins a formula", 40, 400, "traders", attackFormulas},
		{"calls to private addresses", "refused; redirects not followed", 31, 31, "hosts", attackInside},
		{"DNS rebinding", "names that lead inside later are not called", 6, 90, "names", attackByRebinding},
		{"one link filling the disk", "at most 3 MiB, then what was counted", 20, 500, "connections", attackDisk},
		{"guessing keys, links and a password", "limited by address; forged addresses do not count", 100, 10_000, "addresses", attackGuessing},
	}
}

// row is what is reported of an attack.
type row struct {
	Attack  string `json:"attack"`
	Size    int    `json:"size"`
	Unit    string `json:"unit"`
	Holds   string `json:"holds"`
	Seen    string `json:"seen"`
	Failed  bool   `json:"failed"`
	Skipped bool   `json:"skipped"`
	Elapsed int64  `json:"elapsed_ms"`
}

// TestAttack attacks one deployment, one attack after the other. It takes long because each attack
// needs time to do harm.
func TestAttack(t *testing.T) {
	if testing.Short() {
		t.Skip("attacks a deployment for a minute")
	}
	full := os.Getenv(scaleVariable) == "full"
	if !full {
		t.Parallel()
	}
	only, err := regexp.Compile(os.Getenv(nameVariable))
	check(t, err)
	s := newSite(t, full)
	for n, a := range listAttacks() {
		if !only.MatchString(a.name) {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			r := row{Attack: a.name, Size: a.short, Unit: a.unit, Holds: a.holds}
			if full {
				r.Size = a.full
			}
			s.Rand = rand.New(rand.NewPCG(seed(t), uint64(n)))
			began := time.Now()
			t.Cleanup(func() {
				r.Failed, r.Skipped, r.Elapsed = t.Failed(), t.Skipped(), time.Since(began).Milliseconds()
				writeReport(t, r)
			})
			s.resetPeak(t)
			r.Seen = a.run(t, s, r.Size)
			s.check(t)
			t.Logf("%d %s: %s", r.Size, r.Unit, r.Seen)
		})
	}
}

// seed returns the seed of the attacks.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv(seedVariable)
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	check(t, err)
	return n
}

// writeReport adds the row to the report.
func writeReport(t *testing.T, r row) {
	t.Helper()
	path := os.Getenv(reportVariable)
	if path == "" {
		return
	}
	line, err := json.Marshal(r)
	check(t, err)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	check(t, err)
	defer file.Close()
	if _, err := file.Write(append(line, '\n')); err != nil {
		t.Error(err)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
