package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const aboutLimits = `# Limits

<!-- Generated from the constants of the source by go generate ./configs. -->

Larger values are refused with an error that names the limit, unless the row says otherwise. For limits that you can configure, see [Configuration](configuration.md).
`

// A unit says how to format the value of a limit.
type unit int

const (
	number unit = iota
	bytesUnit
	duration
	seconds
)

// limit is a row of the page: a description, and the constant that holds the limit.
type limit struct {
	about, dir, constant string
	unit                 unit
}

// limitGroup is a section of the page.
type limitGroup struct {
	title string
	rows  []limit
}

// limitGroups are the sections of the page.
func limitGroups() []limitGroup { return append(limitsOfPlatform(), limitsOfInterviews()...) }

// limitsOfPlatform are the limits of the API and of data from platforms.
func limitsOfPlatform() []limitGroup {
	return []limitGroup{
		{"API", []limit{
			{"Requests of an API key or user in a window, across all processes", "store/access", "RateLimit", number},
			{"Length of that window", "store/access", "RateWindow", duration},
			{"Unknown API keys that a client may try in a minute, in each process", "apiserver/auth", "unknownKeyLimit", number},
			{"Size of the request headers", "apiserver", "headerLimit", bytesUnit},
			{"Size of a request body, except for file uploads", "apiserver/middleware", "MaxBody", bytesUnit},
			{"Time limit for a request, except those below", "apiserver/route", "answerLimit", duration},
			{"Time limit for a request with a live check", "apiserver/v1/integrations", "liveCheckLimit", duration},
			{"Time limit for a request with a file", "apiserver/route", "UploadLimit", duration},
			{"Time limit for the analysis of a trader's activity", "apiserver/v1/activity", "activityLimit", duration},
			{"Time limit for the export of a list or the download of a file", "apiserver/route", "DownloadLimit", duration},
			{"Time limit for the export of a trader or an interview", "apiserver/v1/privacy", "archiveLimit", duration},
			{"Items per page, `limit`, of most lists", "apiserver/decode", "maxLimit", number},
			{"Items per page of most lists without `limit`", "apiserver/decode", "defaultLimit", number},
			{"Items per page, `limit`, of lists that are returned whole without it: activity files, API keys, comments and trades of an interview, duplicates of a trader, integrations, users, webhooks and their events", "apiserver/decode", "maxCollection", number},
			{"Characters of an `Idempotency-Key`", "apiserver/decode", "maxIdempotencyKey", number},
			{"Invalid values listed in one response", "apiserver/problem", "MaxFaults", number},
			{"Open change streams of an API key or user, in each process", "apiserver/stream", "MaxOfCaller", number},
			{"Open change streams in each process", "apiserver/stream", "maxStreams", number},
			{"Lifetime of an API key in days, `expires_in_days`", "apiserver/v1/access", "maxExpiryDays", number},
		}},
		{"Sign-in", []limit{
			{"Minimum length of a new password", "apiserver/auth", "MinPassword", number},
			{"Maximum length of a new password", "apiserver/auth", "MaxPassword", number},
			{"Time without requests after which a session ends", "store/access", "SessionIdle", duration},
			{"Maximum lifetime of a session", "store/access", "SessionLife", duration},
			{"Lifetime of an initial password", "store/access", "TemporaryLife", duration},
			{"Sessions of a user; beyond it the oldest one ends", "store/access", "maxSessions", number},
		}},
		{"Platforms", []limit{
			{"Shortest sync interval", "apiserver/v1/integrations", "minInterval", seconds},
			{"Longest sync interval", "apiserver/v1/integrations", "maxInterval", seconds},
			{"Time limit for a request to a platform", "connectors/fetch", "attemptLimit", duration},
			{"Attempts for each request", "connectors/fetch", "maxAttempts", number},
			{"Size of a response body", "connectors/fetch", "maxBody", bytesUnit},
			{"Longest wait after a 429, even if `Retry-After` asks for more", "connectors/fetch", "maxRetryAfter", duration},
			{"Page size for requests to your own platform", "connectors/customapi", "pageLimit", number},
			{"Page size for requests to a third-party platform", "connectors/partnerplatform", "pageLimit", number},
			{"Pages of a list; a longer list counts as endless", "connectors", "DefaultMaxPages", number},
			{"Size of a record; a larger record is quarantined", "connectors/alias", "MaxRecordBytes", bytesUnit},
			{"Size of `metadata`", "connectors/alias", "MaxMetadataBytes", bytesUnit},
			{"Digits of a number on either side of the decimal point", "connectors/record", "MaxDigits", number},
			{"Quarantined records kept for each integration", "store", "maxQuarantined", number},
			{"Time limit for a live check", "connectors", "CheckDeadline", duration},
		}},
		{"Traders", []limit{
			{"Characters of a name", "apiserver/v1/traders", "maxFullName", number},
			{"Tags that people can add to a trader", "apiserver/v1/traders", "maxTags", number},
			{"Notes about a trader", "store", "maxNotes", number},
			{"Traders who may share something and still count as possible duplicates", "store", "maxSharing", number},
			{"Characters of a note", "apiserver/v1/traders", "maxNoteBody", number},
			{"Characters of a search", "apiserver/v1/traders", "maxSearch", number},
		}},
	}
}

// limitsOfInterviews are the limits of the analysis, of interviews and of webhooks.
func limitsOfInterviews() []limitGroup {
	return []limitGroup{
		{"Activity", []limit{
			{"Size of a CSV or HTML file", "internal/statement", "maxText", bytesUnit},
			{"Size of an XLSX or ZIP file", "internal/statement", "maxPacked", bytesUnit},
			{"Rows of a file", "internal/statement", "maxRows", number},
			{"Size of the distinct texts in an XLSX file", "internal/statement", "maxSharedBytes", bytesUnit},
			{"Deals or fills in a file", "internal/statement/pairing", "maxExecutions", number},
			{"Accounts in a file", "internal/statement", "maxAccounts", number},
			{"Files of a trader", "store/activity", "MaxActivityFiles", number},
			{"Concurrent file uploads in each process, of which one organization may have half", "apiserver/route", "maxUploads", number},
			{"Trades in an analysis", "internal/analysis/load", "MaxTrades", number},
			{"Concurrent analyses in each process, of which one organization may have half", "apiserver/v1/activity", "maxAnalyses", number},
			{"Days in an analysis, `window_days`", "apiserver/v1/activity", "maxWindow", number},
			{"Size of a news calendar", "internal/analysis/calendar", "MaxBytes", bytesUnit},
			{"Events in a news calendar", "internal/analysis/calendar", "MaxEvents", number},
			{"Size of a ruleset", "internal/analysis/ruleset", "MaxBytes", bytesUnit},
			{"Symbol mappings", "apiserver/v1/activity", "maxMappings", number},
		}},
		{"Interviews", []limit{
			{"Requests with a link in a minute that open a page, a recording or a take, in each process", "apiserver/interview", "linkLimit", number},
			{"Questions in an interview, not counting those that assay adds", "apiserver/v1/interviews", "maxQuestions", number},
			{"Questions that assay adds, `auto_questions`", "apiserver/v1/interviews", "maxAutoQuestions", number},
			{"Characters of a question", "apiserver/v1/interviews", "maxPrompt", number},
			{"Seconds to think before an answer, `think_seconds`", "apiserver/v1/interviews", "maxThinkSeconds", number},
			{"Seconds for an answer, `max_seconds`", "apiserver/v1/interviews", "maxMaxSeconds", number},
			{"Takes for a question, `max_takes`", "apiserver/v1/interviews", "maxTakes", number},
			{"Hours until an invite expires, `window_hours`", "apiserver/v1/interviews", "maxWindowHours", number},
			{"Days until a recording is deleted, `retention_days`", "store/interviews", "MaxRetentionDays", number},
			{"Size of a take", "store/interviews", "MaxTakeBytes", bytesUnit},
			{"Size of all takes of an interview", "store/interviews", "MaxInterviewBytes", bytesUnit},
			{"Recorded time of an interview", "store/interviews", "MaxRecording", duration},
			{"Characters of a written answer", "store/interviews", "MaxWritten", number},
			{"Hours until a share link expires, `expires_hours`", "apiserver/v1/interviews", "maxExpiresHours", number},
		}},
		{"Webhooks", []limit{
			{"Endpoints of an organization", "store/webhooks", "MaxEndpoints", number},
			{"Filters of an endpoint", "apiserver/v1/webhooks", "maxFilters", number},
			{"Values of a filter", "apiserver/v1/webhooks", "maxFilterValues", number},
			{"Headers that are added to the requests of an endpoint", "apiserver/v1/webhooks", "maxHeaders", number},
			{"Characters of a header's value", "apiserver/v1/webhooks", "maxHeaderValue", number},
			{"Size of an event", "store/event", "MaxBody", bytesUnit},
			{"Time limit for an attempt", "syncd/deliver", "attemptLimit", duration},
			{"Time limit for connecting", "syncd/deliver", "connectLimit", duration},
			{"Scheduled attempts", "store/webhooks", "ScheduledAttempts", number},
			{"Attempts in total, including manual retries", "store/webhooks", "MaxAttempts", number},
			{"Deliveries sent again by one request", "store/webhooks", "MaxResent", number},
			{"Maximum grace period of a replaced secret", "apiserver/v1/webhooks", "maxGrace", seconds},
			{"Retention of payloads and responses", "store/webhooks", "payloadsKept", duration},
			{"Retention of deliveries", "store/webhooks", "deliveriesKept", duration},
		}},
	}
}

// renderLimits renders the limits with the values of their constants.
func renderLimits(root string) (string, error) {
	var b strings.Builder
	b.WriteString(aboutLimits)
	s := &source{root: root, packages: make(map[string]map[string]ast.Expr)}
	for _, g := range limitGroups() {
		fmt.Fprintf(&b, "\n## %s\n\n| limit | value |\n|---|---|\n", g.title)
		for _, l := range g.rows {
			value, err := s.constantValue(l.dir, l.constant)
			if err != nil {
				return "", fmt.Errorf("%s.%s: %w", l.dir, l.constant, err)
			}
			fmt.Fprintf(&b, "| %s | %s |\n", l.about, l.unit.formatValue(value))
		}
	}
	return b.String(), nil
}

// formatValue formats a value for readers.
func (u unit) formatValue(v int64) string {
	switch u {
	case bytesUnit:
		for _, size := range []struct {
			bytes int64
			name  string
		}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
			if v >= size.bytes && v%size.bytes == 0 {
				return fmt.Sprintf("%d %s", v/size.bytes, size.name)
			}
		}
		return groupThousands(v) + " bytes"
	case seconds:
		return duration.formatValue(v * int64(time.Second))
	case duration:
		d := time.Duration(v)
		for _, span := range []struct {
			length time.Duration
			name   string
		}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
			if d >= span.length && d%span.length == 0 {
				n := d / span.length
				if n == 1 {
					return "1 " + span.name
				}
				return fmt.Sprintf("%d %ss", n, span.name)
			}
		}
		return d.String()
	case number:
	}
	return groupThousands(v)
}

// groupThousands formats a number with commas between thousands.
func groupThousands(v int64) string {
	text := strconv.FormatInt(v, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// source finds constants in the packages of the repository.
type source struct {
	root     string
	packages map[string]map[string]ast.Expr // constants by name, for each folder
}

// constantValue returns the value of a constant of the package in a folder. If that package does
// not declare it, the one package below it that does is used.
func (s *source) constantValue(dir, name string) (int64, error) {
	constants, err := s.loadConstants(dir)
	if err != nil {
		return 0, err
	}
	if e, ok := constants[name]; ok {
		return s.evaluateConstant(dir, e)
	}
	entries, err := os.ReadDir(filepath.Join(s.root, filepath.FromSlash(dir)))
	if err != nil {
		return 0, err
	}
	var found []string
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		below := dir + "/" + entry.Name()
		if constants, err := s.loadConstants(below); err != nil {
			return 0, err
		} else if constants[name] != nil {
			found = append(found, below)
		}
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("%d packages have such a constant", len(found))
	}
	return s.constantValue(found[0], name)
}

func (s *source) loadConstants(dir string) (map[string]ast.Expr, error) {
	if found, ok := s.packages[dir]; ok {
		return found, nil
	}
	folder := os.DirFS(filepath.Join(s.root, filepath.FromSlash(dir)))
	names, err := fs.Glob(folder, "*.go")
	if err != nil {
		return nil, err
	}
	constants := make(map[string]ast.Expr)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				declared := spec.(*ast.ValueSpec) //nolint:forcetypeassert // constants are declared by nothing else
				for i, value := range declared.Values {
					constants[declared.Names[i].Name] = value
				}
			}
		}
	}
	s.packages[dir] = constants
	return constants, nil
}

// durations are the constants of package time.
var durations = map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}

// evaluateConstant computes a constant expression. It supports what limits need.
func (s *source) evaluateConstant(dir string, e ast.Expr) (int64, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.ParseInt(e.Value, 0, 64)
	case *ast.ParenExpr:
		return s.evaluateConstant(dir, e.X)
	case *ast.Ident:
		return s.constantValue(dir, e.Name)
	case *ast.SelectorExpr:
		pkg, ok := e.X.(*ast.Ident)
		if !ok {
			break
		}
		if d, known := durations[e.Sel.Name]; known && pkg.Name == "time" {
			return int64(d), nil
		}
		return s.constantValue(pkg.Name, e.Sel.Name) // all packages with limits are in folders at the root
	case *ast.BinaryExpr:
		x, err := s.evaluateConstant(dir, e.X)
		if err != nil {
			return 0, err
		}
		y, err := s.evaluateConstant(dir, e.Y)
		if err != nil {
			return 0, err
		}
		switch e.Op { //nolint:exhaustive // others are not used
		case token.ADD:
			return x + y, nil
		case token.SUB:
			return x - y, nil
		case token.MUL:
			return x * y, nil
		case token.SHL:
			return x << y, nil
		}
	}
	return 0, fmt.Errorf("an expression of type %T cannot be evaluated", e)
}
