package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// benchStep is one run of go test.
type benchStep struct {
	pkg   string // as ./store
	bench string // the benchmark's name
	times string // -benchtime: how often each is run
	// shortTimes is times with -short. Empty means the same.
	shortTimes string
	oneCPU     bool
}

// runsBenchmark reports whether the step runs a benchmark of that name.
func (s benchStep) runsBenchmark(name string) bool {
	return name == s.bench || strings.HasPrefix(name, s.bench+"/")
}

// benchSteps lists the benchmarks of the table, those that take long last.
func benchSteps() []benchStep {
	return []benchStep{
		{pkg: "./connectors/customapi", bench: "BenchmarkDecodeTrades", times: "3s", shortTimes: "1s", oneCPU: true},
		{pkg: "./store/ingest", bench: "BenchmarkPageWrite", times: "1x"},
		{pkg: "./apiserver", bench: "BenchmarkColdStart", times: "1x"},
		{pkg: "./syncd", bench: "BenchmarkColdStart", times: "1x"},
		{pkg: "./internal/analysis", bench: "BenchmarkAnalyse", times: "4x", shortTimes: "1x", oneCPU: true},
		{pkg: "./syncd/deliver", bench: "BenchmarkBacklog", times: "1x"},
		{pkg: "./syncd/deliver", bench: "BenchmarkSteady", times: "1x"},
		{pkg: "./apiserver/v1", bench: "BenchmarkTraderDetail", times: "1x"},
		{pkg: "./apiserver/v1", bench: "BenchmarkListTraders", times: "1x"},
		{pkg: "./apiserver", bench: "BenchmarkExportPayouts", times: "1x"},
		{pkg: "./apiserver/v1", bench: "BenchmarkWrites", times: "1x"},
		{pkg: "./syncd", bench: "BenchmarkIdlePoll", times: "1x"},
		{pkg: "./store/directory", bench: "BenchmarkSearchDirectory", times: "100x", shortTimes: "20x"},
		{pkg: "./syncd", bench: "BenchmarkWholeSync", times: "1x"},
		{pkg: "./syncd", bench: "BenchmarkFirstLoad", times: "1x"},
		{pkg: "./syncd/schedule", bench: "BenchmarkClaim", times: "1x"},
		{pkg: "./syncd", bench: "BenchmarkBackfill", times: "1x"},
		{pkg: "./store/ingest", bench: "BenchmarkStored", times: "1x"},
	}
}

// benchName names a benchmark.
type benchName struct{ pkg, name string }

// benchRow is a row of the table: a metric of a benchmark and what it should be.
type benchRow struct {
	what string
	of   benchName
	unit string
	// limit is what cannot be surpassed according to the same run, or with what the
	// row is compared: another metric, of the benchmark limitOf or, if that is
	// empty, of the same one. It is empty if there is none.
	limit   string
	limitOf string
	// target is the least value of the metric or, with atMost, the greatest. With
	// ofLimit it is a multiple of the limit. 0 without atMost means that there is
	// no target.
	target          float64
	atMost, ofLimit bool
}

// benchRows is the table of the targets.
func benchRows() []benchRow {
	return slices.Concat(writingRows(), pollingRows(), servingRows(), storedRows())
}

// writingRows are those of pages and whole syncs.
func writingRows() []benchRow {
	page := func(name string) benchName { return benchName{"./store/ingest", "BenchmarkPageWrite/" + name} }
	whole, backfill := benchName{"./syncd", "BenchmarkWholeSync/custom_api"}, benchName{"./syncd", "BenchmarkBackfill"}
	load := func(kind string) benchName { return benchName{"./syncd", "BenchmarkFirstLoad/" + kind} }
	decode := benchName{"./connectors/customapi", "BenchmarkDecodeTrades"}
	return []benchRow{
		{what: "page write, first load, by raw COPY", of: page("first_load"), unit: "ratio", limit: "copy_rows/s", target: 0.8},
		{what: "page write, unchanged, by raw COPY", of: page("unchanged"), unit: "ratio", limit: "copy_rows/s", target: 1.6},
		{what: "page write, 10 % changed, by raw COPY", of: page("changed_10_percent"), unit: "ratio", limit: "copy_rows/s", target: 1.2},
		{what: "unchanged re-read, log a row", of: page("unchanged"), unit: "wal_B/row", target: 10, atMost: true},
		{what: "unchanged re-read, dead rows", of: page("unchanged"), unit: "dead_rows", atMost: true},
		{what: "whole sync, by raw COPY", of: whole, unit: "ratio", limit: "copy_trades/s", target: 0.7},
		{what: "first load of traders, by a peer", of: load("traders"), unit: "records/s", limit: "peer_records/s", target: 2, ofLimit: true},
		{what: "first load of traders, by raw COPY", of: load("traders"), unit: "records/s", limit: "copy_records/s"},
		{what: "first load of accounts, by raw COPY", of: load("accounts"), unit: "records/s", limit: "copy_records/s"},
		{what: "first load of payouts, by raw COPY", of: load("payouts"), unit: "records/s", limit: "copy_records/s"},
		{what: "first load of all four", of: load("all"), unit: "records/s"},
		{what: "decoding a page of 200 trades", of: decode, unit: "MB/s", limit: "scan_MB/s", target: 220},
		{what: "decoding, allocations a record", of: decode, unit: "allocs/record", target: 8, atMost: true},
		{what: "backfill, memory of syncd", of: backfill, unit: "peak_MiB_RSS", target: 64, atMost: true},
		{what: "backfill, memory in the last tenth", of: backfill, unit: "last_tenth_MiB", limit: "first_tenth_MiB", target: 1.25, atMost: true, ofLimit: true},
		{what: "backfill, rate in the last tenth", of: backfill, unit: "last_tenth_trades/s", limit: "first_tenth_trades/s"},
	}
}

// pollingRows are those of schedules and polls.
func pollingRows() []benchRow {
	idle, claim := benchName{"./syncd", "BenchmarkIdlePoll"}, benchName{"./syncd/schedule", "BenchmarkClaim"}
	start := func(pkg string) benchName { return benchName{pkg, "BenchmarkColdStart"} }
	return []benchRow{
		{what: "idle poll, processor time of syncd", of: idle, unit: "cpu_ms/poll", target: 2, atMost: true},
		{what: "idle poll, log", of: idle, unit: "wal_B/poll", target: 2560, atMost: true},
		{what: "idle polls a second and core", of: idle, unit: "polls/s_core", target: 500},
		{what: "claiming for 100,000, lateness, p99", of: claim, unit: "p99_ms", target: 200, atMost: true},
		{what: "claiming a backlog of 100,000", of: claim, unit: "backlog_s", target: 3, atMost: true},
		{what: "cold start of apiserver, median", of: start("./apiserver"), unit: "median_ms", target: 500, atMost: true},
		{what: "cold start of apiserver, worst", of: start("./apiserver"), unit: "worst_ms", target: 500, atMost: true},
		{what: "cold start of syncd, median", of: start("./syncd"), unit: "median_ms", target: 500, atMost: true},
		{what: "cold start of syncd, worst", of: start("./syncd"), unit: "worst_ms", target: 500, atMost: true},
	}
}

// servingRows are those of reads, reports and webhooks.
func servingRows() []benchRow {
	list, detail := benchName{"./apiserver/v1", "BenchmarkListTraders"}, benchName{"./apiserver/v1", "BenchmarkTraderDetail"}
	export := benchName{"./apiserver", "BenchmarkExportPayouts"}
	rows := []benchRow{
		{what: "export of payouts by time", of: export, unit: "indexed-rows/s", target: 50_000},
		{what: "export of payouts by amount, which no index has", of: export, unit: "sorted-rows/s", limit: "indexed-rows/s", target: 50_000},
		{what: "both exports, memory of apiserver", of: export, unit: "peak_MiB_RSS", target: 64, atMost: true},
		{what: "list of traders, by a bare handler", of: list, unit: "ratio", limit: "bare-requests/s", target: 0.7},
		{what: "list of traders, p99 at half the rate", of: list, unit: "p99-ms", target: 20, atMost: true},
		{what: "trader with 100,000 trades, by a bare handler", of: detail, unit: "ratio", limit: "bare-requests/s", target: 0.7},
		{what: "trader with 100,000 trades, p99 at half the rate", of: detail, unit: "p99-ms", target: 80, atMost: true},
	}
	for _, s := range []struct {
		name, what string
		target     float64
		limit      string
	}{
		{"search_one_hit", "one hit", 50, ""},
		{"search_few_hits", "some hundreds", 50, ""},
		{"search_10000_hits", "up to 10,000 hits", 50, ""},
		{"search_40000_hits", "4 % of all", 250, "bare_p99_ms"},
		{"search_40_percent", "40 % of all", 250, "bare_p99_ms"},
		{"search_all", "all", 250, "bare_p99_ms"},
		{"search_all_deep_page", "all, page in the middle", 250, "bare_p99_ms"},
		{"search_with_separators", "separators", 250, "bare_p99_ms"},
	} {
		rows = append(rows, benchRow{
			what: "search of traders, " + s.what + ", p99", of: benchName{"./store/directory", "BenchmarkSearchDirectory/" + s.name}, unit: "p99_ms",
			limit: s.limit, target: s.target, atMost: true,
		})
	}
	for _, s := range []struct{ name, what string }{
		{"connect", "connecting a platform"}, {"upload", "uploading a file of 500 trades"}, {"sign_in", "signing in"},
	} {
		of := benchName{"./apiserver/v1", "BenchmarkWrites/" + s.name}
		rows = append(rows, benchRow{what: s.what + ", statements", of: of, unit: "statements/request"}, benchRow{what: s.what + ", p99", of: of, unit: "p99-ms"})
	}
	for _, kind := range []string{"one account", "every trade a decision", "ten accounts"} {
		rows = append(rows, benchRow{
			what: "analysis of 1,000,000 trades, " + kind, of: benchName{"./internal/analysis", "BenchmarkAnalyse/" + strings.ReplaceAll(kind, " ", "_")},
			unit: "cpu_ms/op", target: 1000, atMost: true,
		})
	}
	// The cost of a dead endpoint is within the difference between two runs.
	return append(rows,
		benchRow{what: "webhooks, deliveries a second", of: benchName{"./syncd/deliver", "BenchmarkBacklog"}, unit: "deliveries/s", target: 2000},
		benchRow{what: "webhooks, first attempt at 2,000 a second, p99", of: benchName{"./syncd/deliver", "BenchmarkSteady/dead=0"}, unit: "p99_ms", target: 1000, atMost: true},
		benchRow{
			what: "webhooks, the same with a dead endpoint, p99", of: benchName{"./syncd/deliver", "BenchmarkSteady/dead=1"}, unit: "p99_ms",
			limit: "p99_ms", limitOf: "BenchmarkSteady/dead=0", target: 1.25, atMost: true, ofLimit: true,
		},
		benchRow{what: "webhooks, the same beside 50 hostile endpoints, p99", of: benchName{"./syncd/deliver", "BenchmarkSteady/hostile=50"}, unit: "p99_ms", target: 1000, atMost: true},
	)
}

// storedRows compare a large store with a small one. They have no target.
func storedRows() (rows []benchRow) {
	for _, m := range []struct{ what, unit string }{
		{"page write, first load", "first_load_rows/s"},
		{"page write, unchanged", "unchanged_rows/s"},
		{"page write, 10 % changed", "changed_rows/s"},
		{"trader in detail, p99", "detail_p99_ms"},
		{"first page of trades, p99", "trades_p99_ms"},
		{"page of trades in the middle, p99", "trades_middle_p99_ms"},
		{"trades of an account, p99", "account_p99_ms"},
	} {
		rows = append(rows, benchRow{
			what: "large store, " + m.what, of: benchName{"./store/ingest", "BenchmarkStored/large"}, unit: m.unit, limit: m.unit, limitOf: "BenchmarkStored/small",
		})
	}
	return rows
}

// benchFigures are the metrics of benchmarks, by unit, as often as they were
// measured.
type benchFigures map[benchName]map[string][]float64

// procs is what go test adds to the names.
var procs = regexp.MustCompile(`-\d+$`)

// readBench reads the output of go test.
func readBench(text string) benchFigures {
	figures := make(benchFigures)
	pkg := ""
	for line := range strings.Lines(text) {
		if path, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = "." + strings.TrimPrefix(strings.TrimSpace(path), "github.com/assayhq/assay")
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := benchName{pkg, procs.ReplaceAllString(fields[0], "")}
		if figures[name] == nil {
			figures[name] = make(map[string][]float64)
		}
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				break // not a line of results after all
			}
			figures[name][fields[i+1]] = append(figures[name][fields[i+1]], v)
		}
	}
	return figures
}

// medianOf returns the median of a metric; known is false when it was not
// measured.
func (f benchFigures) medianOf(name benchName, unit string) (v float64, known bool) {
	all := slices.Sorted(slices.Values(f[name][unit]))
	if len(all) == 0 {
		return 0, false
	}
	return all[len(all)/2], true
}

// benchTable is the table.
func benchTable(rows []benchRow, figures benchFigures) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nwhat\tmeasured\tlimit, in the same run\ttarget\t")
	met, missed, unknown := 0, 0, 0
	for _, r := range rows {
		measured, limit, target, verdict := r.rowCells(figures)
		switch verdict {
		case "met":
			met++
		case "missed":
			missed++
		case "not measured":
			unknown++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.what, measured, limit, target, verdict)
	}
	_ = w.Flush() // into memory
	fmt.Fprintf(&b, "\n%d met, %d missed, %d not measured\n", met, missed, unknown)
	return b.String()
}

// rowCells returns the texts of a row.
func (r benchRow) rowCells(figures benchFigures) (measured, limit, target, verdict string) {
	v, known := figures.medianOf(r.of, r.unit)
	measured, limit, target, verdict = "-", "-", "-", "-"
	if known {
		measured = formatQuantity(v, r.unit)
	}
	want := r.target
	if r.limit != "" {
		of := r.of
		if r.limitOf != "" {
			of.name = r.limitOf
		}
		most, measuredToo := figures.medianOf(of, r.limit)
		if known = known && measuredToo; measuredToo {
			limit = formatQuantity(most, r.limit)
		}
		if r.ofLimit {
			want *= most
		}
	}
	if r.target > 0 || r.atMost {
		target = r.targetText()
		verdict = "missed"
		if r.atMost && v <= want || !r.atMost && v >= want {
			verdict = "met"
		}
	}
	if !known {
		verdict = "not measured"
	}
	return measured, limit, target, verdict
}

// targetText is how the table writes the target.
func (r benchRow) targetText() string {
	sign, unit := "≥", r.unit
	if r.atMost {
		sign = "≤"
	}
	if r.ofLimit {
		unit = "× limit"
	}
	return sign + " " + formatQuantity(r.target, unit)
}

// formatQuantity returns a figure with its unit: three digits, or all of a whole
// number.
func formatQuantity(v float64, unit string) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if v >= 100 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	if unit == "ratio" {
		return text
	}
	return text + " " + unit
}
