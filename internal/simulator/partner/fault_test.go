package partner_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/platformtest"
)

// shower proves that a fault does what its description says. p has the fault
// on, sound is the same platform without it.
type shower = func(t *testing.T, p, sound *partner.Platform)

// raw checks the status and the bytes of a page of every list.
func raw(status int, pattern string) shower {
	return func(t *testing.T, p, _ *partner.Platform) {
		for _, list := range partner.Lists() {
			r := platformtest.Get(t, p, path(list)+"?limit=3")
			if got := platformtest.ReadBody(t, r); r.StatusCode != status || !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s: status %d: %.300s … %s", list, r.StatusCode, got, got[max(0, len(got)-80):])
			}
		}
	}
}

// isCommon returns whether a fault is one that any platform can have, which package fault tests.
func isCommon(name string) bool {
	common := fault.Describe(slices.Concat(fault.Status[int, int](), fault.Connection[int, int](), fault.Body[int, int]()))
	return slices.ContainsFunc(common, func(f fault.Info) bool { return f.Name == name })
}

func TestEveryFaultShowsWhatItSays(t *testing.T) {
	t.Parallel()
	for _, info := range partner.Faults() {
		if isCommon(info.Name) {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			show := showsInLists[info.Name]
			if show == nil || info.Description == "" {
				t.Fatalf("no test shows this fault, or it has no description: %q", info.Description)
			}
			p, sound := newPlatform(t, small(31)), newPlatform(t, small(31))
			if err := p.SetFault(info.Name, fault.Options{}); err != nil {
				t.Fatal(err)
			}
			show(t, p, sound)
			p.ClearFaults()
			for _, list := range partner.Lists() {
				if diff := cmp.Diff(platformtest.ReadBody(t, platformtest.Get(t, sound, path(list))), platformtest.ReadBody(t, platformtest.Get(t, p, path(list)))); diff != "" {
					t.Errorf("%s after the fault (-sound +cleared):\n%s", list, diff)
				}
			}
		})
	}
}

// The faults of records find their fields under whatever name.
func TestFaultsOfRecordsInEveryDialect(t *testing.T) {
	t.Parallel()
	iso := regexp.MustCompile(`[2-]\d\dT\d\d|":"?1[67]\d{8}`)
	for _, dialect := range partner.Dialects() {
		o := small(32)
		o.Dialect, o.Firm.Trades = dialect, 300
		for name, gone := range map[string][]string{
			"missing-id": {"customerId", "accountNr", "ticket", "payoutId"}, "local-times": nil, "account-null": nil,
		} {
			p := newPlatform(t, o)
			if err := p.SetFault(name, fault.Options{}); err != nil {
				t.Fatal(err)
			}
			for i, list := range []partner.List{partner.Customers, partner.Accounts, partner.ClosedTrades, partner.Payouts} {
				for _, record := range walk(t, p, list, 100, nil) {
					s := read(t, list, record)
					switch {
					case gone != nil && s.str(gone[i]) != "" && (list != partner.Accounts || s.object["login"] == nil && s.object["accountId"] == nil):
						t.Fatalf("%s %s: %s", dialect, name, record)
					case name == "local-times" && iso.MatchString(record):
						t.Fatalf("%s %s: %s", dialect, name, record)
					case name == "account-null" && list == partner.ClosedTrades && (s.str("accountNr") != "" || !strings.Contains(record, `"account":null`)):
						t.Fatalf("%s %s: %s", dialect, name, record)
					}
				}
			}
		}
	}
}
