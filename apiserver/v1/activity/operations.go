package activity

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
)

// operations are about the analysis of trading and what it is judged by.
var operations = map[string]route.Operation{
	"getTraderActivity": {
		Tag: route.TagActivity, Summary: "Analyze the activity of a trader", Conditional: true,
		Description: "Analyzes the trades of a trader and returns metrics, detectors of patterns that risk desks ask about, and data for charts.\n\nThe trades come from " +
			"uploaded files and from all accounts of every platform that knows the trader, because the trader was read from it or because it has exactly one " +
			"trader with the same email. If a file and a platform cover the same account, the file counts only outside the time that the platform covers. Accounts " +
			"of other traders are compared with the trader's if they traded at the same moments or signed in from the same address.\n\nA finding is an observation " +
			"under thresholds. It does not claim intent or that a rule was broken.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "The activity.", Body: result.Activity{}}},
	},
	"listActivityFiles": {
		Tag: route.TagActivity, Summary: "List activity files",
		Description: "Lists the files that were uploaded for a trader, newest first.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The files.", Body: response.Collection[activityFileBody]{}, Headers: []string{"Link"}}},
	},
	"uploadActivityFile": {
		Tag: route.TagActivity, Summary: "Upload an activity file",
		Description: "Imports a statement that a trading platform has exported: a CSV, XLSX, HTML or XML file, or a ZIP archive of them. Its trades count only in the " +
			"trader's activity. If an integration reads the account as well, only the trades before and after those of the integration count. A wrong import looks plausible, so assay does not guess: it refuses an ambiguous file and says which part to send along. Files " +
			"are identified by their bytes: sent again with different parts, the same file is imported again and replaces its earlier import. A trader has at most " +
			"100 files.",
		Body: route.Body{Name: "ActivityFileUpload", About: "The file, and details that help to read it.", Read: func(o *decode.Object) { readUploadForm(o, new(upload)) }},
		Answers: []route.Answer{
			{Status: http.StatusCreated, About: "The file was imported.", Body: activityFileBody{}, Headers: []string{"Location"}},
			{Status: http.StatusOK, About: "The same file had already been imported in the same way. Nothing has changed.", Body: activityFileBody{}, Headers: []string{"Location"}},
		},
		Problems: []problem.Code{problem.Conflict, problem.LegalHold, problem.FileTooLarge, problem.UnsupportedFileType, problem.FileNotUnderstood, problem.AmbiguousDates},
	},
	"previewActivityFile": {
		Tag: route.TagActivity, Summary: "Preview an activity file",
		Description: "Reads a file as an upload would and stores nothing. The response says how the file was understood, which accounts it contains and whether they are " +
			"known already, and shows its first trades. A file that an upload would refuse is refused here for the same reason.",
		Body:     route.Body{Name: "ActivityFileUpload", About: "The file, and details that help to read it.", Read: func(o *decode.Object) { readUploadForm(o, new(upload)) }},
		Answers:  []route.Answer{{Status: http.StatusOK, About: "What the import would give.", Body: activityFilePreviewBody{}}},
		Problems: []problem.Code{problem.FileTooLarge, problem.UnsupportedFileType, problem.FileNotUnderstood, problem.AmbiguousDates},
	},
	"downloadActivityFile": {
		Tag: route.TagActivity, Summary: "Download an activity file", Conditional: true,
		Description: "Returns the file exactly as it was uploaded.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The file.", Media: load.MediaTypes(), Headers: []string{"Content-Disposition"}}},
	},
	"deleteActivityFile": {
		Tag: route.TagActivity, Summary: "Delete an activity file",
		Description: "Deletes a file and everything that was imported from it. A file that belongs to an interview under a legal hold cannot be deleted.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The file is deleted."}},
		Problems:    []problem.Code{problem.LegalHold},
	},
	"getRuleset": {
		Tag: route.TagActivity, Summary: "Retrieve the thresholds", Conditional: true,
		Description: "Returns the thresholds by which the organization judges activity: its own, or those of the preset `neutral`.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The thresholds.", Body: ruleset.Ruleset{}}},
	},
	"replaceRuleset": {
		Tag: route.TagActivity, Summary: "Replace the thresholds", Conditional: true,
		Description: "Replaces the thresholds by which the organization judges activity. Omitted fields get the values of the preset `neutral`. A limit that is null is not " +
			"checked. Earlier thresholds are kept, so you can see with which ones a report was made.",
		Body:    route.Body{Name: "RulesetChange", About: "The thresholds.", Like: *ruleset.Neutral()},
		Answers: []route.Answer{{Status: http.StatusOK, About: "The updated thresholds.", Body: ruleset.Ruleset{}}},
	},
	"getSymbolMappings": {
		Tag: route.TagActivity, Summary: "Retrieve the symbol mappings", Conditional: true,
		Description: "Returns the organization's own names of instruments. Brokers' suffixes, contract months and usual names of indices are known without them.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The mappings.", Body: mappingsBody{}}},
	},
	"replaceSymbolMappings": {
		Tag: route.TagActivity, Summary: "Replace the symbol mappings", Conditional: true,
		Description: "Replaces the organization's own names of instruments. Trades are compared by instrument from then on, and keep their symbols.",
		Body:        route.Body{Name: "SymbolMappingsChange", About: "The mappings.", Read: route.ReaderOf(readMappings)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The updated mappings.", Body: mappingsBody{}}},
	},
	"getCalendar": {
		Tag: route.TagActivity, Summary: "Download the news calendar", Conditional: true,
		Description: "Returns the organization's calendar of scheduled news exactly as it was uploaded. If there is none, the response contains the column names and no " +
			"events.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "The calendar.", Media: []string{decode.MediaCSV}}},
	},
	"replaceCalendar": {
		Tag: route.TagActivity, Summary: "Replace the news calendar",
		Description: "Replaces the organization's calendar of scheduled news, with which trades around news are compared. The body is CSV in UTF-8 of at most 16 MiB. The " +
			"first line names the columns, in any order: `time` (RFC 3339), `currency` (three letters), `impact` (`low`, `medium` or `high`), and optionally " +
			"`title`. If any line is invalid, nothing is replaced, and the response lists the invalid lines.",
		Body:    route.Body{Name: "CalendarText", About: "The calendar as CSV, for example the header `time,currency,impact` and a line `2026-01-09T13:30:00Z,USD,high`."},
		Answers: []route.Answer{{Status: http.StatusOK, About: "The calendar was replaced.", Body: calendarBody{}}},
	},
	"uploadInterviewFile": {
		Tag: route.TagInterviews, Summary: "Upload the activity file",
		Description: "Imports a file of trades, like the upload of a trader's activity file, and attaches it to the interview. It " +
			"replaces an earlier file, unless the interview is under a legal hold. If there is a report, a new version is queued.",
		Body:     route.Body{Name: "ActivityFileUpload", About: "The file, and details that help to read it.", Read: func(o *decode.Object) { readUploadForm(o, new(upload)) }},
		Answers:  []route.Answer{{Status: http.StatusCreated, About: "The file was imported.", Body: activityFileBody{}, Headers: []string{"Location"}}},
		Problems: []problem.Code{problem.InvalidState, problem.LegalHold, problem.Conflict, problem.FileTooLarge, problem.UnsupportedFileType, problem.FileNotUnderstood, problem.AmbiguousDates},
	},
	"downloadInterviewFile": {
		Tag: route.TagInterviews, Summary: "Download the activity file", Conditional: true,
		Description: "Returns the file exactly as it was uploaded.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The file.", Media: load.MediaTypes(), Headers: []string{"Content-Disposition"}}},
		Problems:    []problem.Code{problem.ActivityFileNotFound},
	},
}
