package contracttest

import (
	"crypto/x509"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Profile is a selection of cases. Each profile includes the previous ones.
type Profile string

// The profiles.
const (
	LiveCheck Profile = "live-check" // the seven steps that assay runs when a connection is saved
	Core      Profile = "core"       // everything that can be checked in half a minute
	Full      Profile = "full"       // more pages, and watching the live platform
)

// Profiles returns the profiles, smallest first.
func Profiles() []Profile { return []Profile{LiveCheck, Core, Full} }

// includesProfile reports whether the profile includes the cases of another.
func (p Profile) includesProfile(other Profile) bool {
	return slices.Index(Profiles(), other) <= slices.Index(Profiles(), p)
}

// Waiver lets a case fail for some time without failing the verdict.
type Waiver struct {
	Case   string `json:"case"`   // id of the case
	Reason string `json:"reason"` // why it is allowed to fail, for readers of the report
	// Expires is the last day, in UTC, on which the waiver counts: "2027-03-31".
	Expires string `json:"expires"`
}

// isExpired reports whether the waiver's last day has passed.
func (w *Waiver) isExpired(now time.Time) bool {
	last, err := time.Parse(time.DateOnly, w.Expires)
	return err != nil || !now.UTC().Before(last.AddDate(0, 0, 1))
}

// Timing holds the durations and rates of a check. Zero values mean the defaults, which are the
// contract's. Tests of a platform on the same machine may use shorter ones.
type Timing struct {
	// Interval is the time between the starts of two requests: 200 ms, the five requests a second
	// that a platform has to sustain. A negative value means no interval.
	Interval time.Duration
	// Attempt limits one request including its body: 20 s.
	Attempt time.Duration
	// Slow is the time above which an answer counts as slow: 10 s.
	Slow time.Duration
	// Backoff is the wait before a failed request is repeated, doubled before the third and last
	// attempt: 1 s.
	Backoff time.Duration
	// MaxWait limits the wait that a Retry-After asks for: 60 s.
	MaxWait time.Duration
	// Sustained is the duration of the sustained rate: 10 s.
	Sustained time.Duration
	// SustainedRate is the sustained rate in requests a second: 5.
	SustainedRate float64
	// Watch is how long the Full profile watches open trades: 60 s.
	Watch time.Duration
	// Total limits the whole check: 120 s for LiveCheck, 30 min for Core and an hour for Full,
	// which a slow platform may need.
	Total time.Duration
}

// Options configure a check.
type Options struct {
	// URL is the platform's base URL: https, without a trailing slash.
	URL string
	// Key is the API key. It is sent only to the URL's origin and never appears in a report. A key
	// of less than 8 bytes may be an ordinary word of an answer, so it is hidden only where it is
	// a whole value.
	Key string
	// RootCAs verifies the platform's certificate; nil means the system's
	// authorities, which is what assay uses.
	RootCAs *x509.CertPool
	// Profile selects the cases; empty means Core.
	Profile Profile
	// Only limits the report to the cases of the profile with these ids; empty means all. If one
	// case of the live check is named, all of them must be, because they depend on each other. A
	// case that depends on what the others read, such as those of records, makes them run as
	// well.
	Only []string
	// Waivers let cases fail for some time. Cases of the live check cannot be waived.
	Waivers []Waiver
	// MaxRequests limits the requests, not counting those of the sustained rate. Zero means 30
	// for LiveCheck, 100 for Core and 2000 for Full.
	MaxRequests int
	Timing      Timing
	// Progress receives the progress, from one goroutine at a time; may be nil.
	Progress func(Progress)
	// Now returns the time; nil means time.Now. It determines which waivers are valid and which
	// times are requested with updated_since.
	Now func() time.Time
}

// Progress is the state of a running check.
type Progress struct {
	Done, Total int     // cases
	Case        string  // id of the case that starts; empty at the end
	Requests    int     // sent so far
	Last        *Result // the case that has just finished; nil at the beginning
}

// UsageError names an invalid option.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// prepare validates the options and fills in defaults.
func (o *Options) prepare() error {
	if err := checkURL(o.URL); err != nil {
		return usagef("the base URL %s", err)
	}
	if strings.TrimSpace(o.Key) == "" || strings.ContainsAny(o.Key, "\r\n\x00") {
		return usagef("the API key is empty or has a line break")
	}
	if o.Profile == "" {
		o.Profile = Core
	}
	if !slices.Contains(Profiles(), o.Profile) {
		return usagef("unknown profile %q: want live-check, core or full", o.Profile)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := o.checkCases(); err != nil {
		return err
	}
	if o.MaxRequests <= 0 {
		o.MaxRequests = map[Profile]int{LiveCheck: 30, Core: 100, Full: 2000}[o.Profile]
	}
	o.Timing.setDefaults(o.Profile)
	return nil
}

// checkCases validates the case ids in the options.
func (o *Options) checkCases() error {
	known := make(map[string]Case)
	for _, c := range Cases() {
		known[c.ID] = c
	}
	for _, id := range o.Only {
		if c, ok := known[id]; !ok || !o.Profile.includesProfile(c.Profile) {
			return usagef("the profile %s has no case %q", o.Profile, id)
		}
	}
	for _, w := range o.Waivers {
		c, ok := known[w.Case]
		_, err := time.Parse(time.DateOnly, w.Expires)
		switch {
		case !ok:
			return usagef("a waiver names the case %q, which does not exist", w.Case)
		case c.Profile == LiveCheck:
			return usagef("the case %s cannot be waived: assay refuses a platform that fails it", w.Case)
		case strings.TrimSpace(w.Reason) == "":
			return usagef("the waiver of %s has no reason", w.Case)
		case err != nil:
			return usagef("the waiver of %s expires on %q: want a day such as 2027-03-31", w.Case, w.Expires)
		}
	}
	return nil
}

func (t *Timing) setDefaults(p Profile) {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&t.Interval, 200*time.Millisecond)
	set(&t.Attempt, 20*time.Second)
	set(&t.Slow, 10*time.Second)
	set(&t.Backoff, time.Second)
	set(&t.MaxWait, time.Minute)
	set(&t.Sustained, 10*time.Second)
	set(&t.Watch, time.Minute)
	set(&t.Total, map[Profile]time.Duration{LiveCheck: 2 * time.Minute, Core: 30 * time.Minute, Full: time.Hour}[p])
	if t.SustainedRate <= 0 {
		t.SustainedRate = 5
	}
}
