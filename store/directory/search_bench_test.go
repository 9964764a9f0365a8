package directory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
)

// benchTraders is the number of traders in the benchmark's directory.
const benchTraders = 1_000_000

// BenchmarkSearchDirectory lists a directory of 1,000,000 traders and reports how long that takes,
// per class of filter and page, and the server's processor time, which is more meaningful on a busy
// machine. For searches with many hits, "bare_p99_ms" is the time of counting alone in the same
// rounds: one pass over the directory's index by one process of the server.
func BenchmarkSearchDirectory(tb *testing.B) {
	b := setupCycle(tb)
	traders := storetest.BenchCount(tb, "TRADERS", benchTraders, 20_000)
	storetest.SeedTraders(tb, b.URL, b.Org, b.Claim.IntegrationID, traders)
	b.countAlone(tb)
	for _, bb := range []struct {
		name      string
		pages     []int // 0 means the last
		f         []directory.TraderFilter
		uncounted bool
	}{
		{"first_page", []int{1}, []directory.TraderFilter{{}}, false},
		{"deep_page", []int{20_000, 30_000}, []directory.TraderFilter{{}}, false},
		{"last_page", []int{0}, []directory.TraderFilter{{}}, false},
		{"search_one_hit", []int{1}, searches("t-0123456", "T-0999999", "t-0500001"), false},
		{"search_few_hits", []int{1}, searches("firm7.ex", "firm90.", "xenia mo", "sven.ka"), false},
		{"search_10000_hits", []int{1, 9}, searches("firm42", "firm77", "-012"), false},
		{"search_40000_hits", []int{1}, searches("xenia", "sven", "fatima"), false},
		{"search_40_percent", []int{1}, searches("mail.ex", "@mail"), false},
		{"search_all", []int{1}, searches("example", ".exa"), false},
		{"search_all_deep_page", []int{20_000}, searches("example"), false},
		{"search_one_character", []int{1}, searches("a", "z", "7"), false},
		{"search_two_characters", []int{1}, searches("qu", "xy", "t-"), false},
		{"search_with_separators", []int{1}, searches("n.a", "3@f", "a k"), false},
		{"country", []int{1}, []directory.TraderFilter{{Country: "de"}, {Country: "NO"}}, false},
		{"country_and_kyc", []int{1}, []directory.TraderFilter{{Country: "de", KYCStatus: "verified"}}, false},
		{"rare_status", []int{1}, []directory.TraderFilter{{Statuses: []string{"under_review"}}}, false},
		{"archived", []int{1}, []directory.TraderFilter{{Statuses: []string{"archived"}}}, false},
		{"rare_tag", []int{1}, []directory.TraderFilter{{Tag: "rare"}}, false},
		{"tag_40_percent", []int{1}, []directory.TraderFilter{{Tag: "vip"}}, false},
		{"source", []int{1}, []directory.TraderFilter{{Source: "custom_api"}, {Source: "manual"}}, false},
		{"as_you_type", []int{1}, searches("m", "ma", "mar", "mari", "maria", "maria s", "q", "qu", "qui", "quin", "quinn", "t", "t-", "t-0", "t-01", "t-012", "mail.ex"), true},
		{"search_and_country", []int{1}, []directory.TraderFilter{{Search: "xenia", Country: "de"}, {Search: "mail.ex", Country: "us"}}, false},
	} {
		tb.Run(bb.name, func(tb *testing.B) {
			var took, bare []time.Duration
			total, cpu := 0, 0.0
			for n := 0; tb.Loop(); n++ {
				p := store.Page{Number: bb.pages[n%len(bb.pages)], Limit: 25, Uncounted: bb.uncounted}
				if p.Number == 0 {
					p.Number = (traders - traders/2000) / 25
				}
				f := bb.f[n/len(bb.pages)%len(bb.f)]
				used, began := b.ServerCPU(tb), time.Now()
				_, found, err := directory.ListTraders(tb.Context(), b.DB, b.Org, f, p)
				if err != nil {
					tb.Fatal(err)
				}
				took, total = append(took, time.Since(began)), found
				cpu += b.ServerCPU(tb) - used
				if !bb.uncounted && f.Search != "" && found > traders/manyHits {
					bare = append(bare, b.bareCount(tb, f.Search))
				}
			}
			if len(bare) > 0 {
				tb.ReportMetric(storetest.Quantile(bare, 0.99), "bare_p99_ms")
			}
			tb.ReportMetric(1000*cpu/float64(len(took)), "server_ms/op")
			tb.ReportMetric(storetest.Quantile(took, 0.5), "p50_ms")
			tb.ReportMetric(storetest.Quantile(took, 0.95), "p95_ms")
			tb.ReportMetric(storetest.Quantile(took, 0.99), "p99_ms")
			tb.ReportMetric(float64(total), "total")
		})
	}
}

// manyHits selects the searches that are compared with counting alone: those that hit one trader in
// manyHits, or more.
const manyHits = 50

// countAlone makes the cycle's own connection read along indexes, in one process.
func (b *cycle) countAlone(tb testing.TB) {
	tb.Helper()
	for _, option := range []string{"enable_seqscan = off", "enable_bitmapscan = off", "jit = off", "random_page_cost = 1", "max_parallel_workers_per_gather = 0"} {
		if _, err := b.Conn.Exec(tb.Context(), "SET "+option); err != nil {
			tb.Fatal(err)
		}
	}
}

// bareCount returns how long one process of the server takes to count the traders whose column
// contains a text, along the directory's index: see countAlone.
func (b *cycle) bareCount(tb testing.TB, text string) time.Duration {
	tb.Helper()
	began, n := time.Now(), 0
	err := b.Conn.QueryRow(tb.Context(), `SELECT count(*) FROM traders WHERE organization_id = $1 AND status <> 'archived' AND search LIKE $2`,
		b.Org, "%"+foldSeparators.Replace(text)+"%").Scan(&n)
	if err != nil {
		tb.Fatal(err)
	}
	return time.Since(began)
}

// foldSeparators replaces the separators of a search like its column.
var foldSeparators = strings.NewReplacer(" ", "ʛ", ".", "ʝ", "-", "ʞ", "_", "ʠ", "@", "ʡ", "+", "ʢ", "'", "ʣ")

func searches(texts ...string) (filters []directory.TraderFilter) {
	for _, text := range texts {
		filters = append(filters, directory.TraderFilter{Search: text})
	}
	return filters
}
