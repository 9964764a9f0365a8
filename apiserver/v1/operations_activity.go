package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/load"
)

func activityOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getTraderActivity", Tag: tagActivity, Summary: "Analyse the activity of a trader",
		Description: "Analyses the trades of a trader: metrics, detectors of patterns that risk desks ask about, and the data of charts. They come from all accounts of every platform that knows the trader, " +
			"because the trader was read from it or because it has exactly one trader of the same email, and from the files that were uploaded. What a file tells of an account that a platform tells of as well counts " +
			"outside of the time of which the platform does. Accounts of other traders are compared with the trader's where they traded at the same moments, or signed in from the same address.\n\n" +
			"A finding is an observation under thresholds. It claims neither intent nor that a rule was broken.",
		Answers: []Answer{{Status: http.StatusOK, About: "The activity.", Body: analysis.Activity{}}},
	}
}

func listActivityFilesOperation() Operation {
	return Operation{
		ID: "listActivityFiles", Tag: tagActivity, Summary: "List the activity files of a trader",
		Description: "Lists the files that were uploaded for a trader, newest first.",
		Answers:     []Answer{{Status: http.StatusOK, About: "All files of the trader.", Body: collection[activityFileBody]{}}},
	}
}

func uploadActivityFileOperation() Operation {
	return Operation{
		ID: "uploadActivityFile", Tag: tagActivity, Summary: "Upload a file of trades",
		Description: "Reads a statement of trades that a trading platform has exported, CSV, XLSX or HTML, for accounts that no integration covers. Its trades count in the trader's activity, and nowhere else. " +
			"A wrong import looks plausible, so what would have to be guessed is refused, with what to send along. The same bytes again are the same file: sent with other parts, they are read anew in its place. " +
			"A trader has at most 100 files.",
		Body: Body{Name: "ActivityFileUpload", About: "The file, and what is known of it.", Read: func(o *decode.Object) { readUploadForm(o, new(upload)) }},
		Answers: []Answer{
			{Status: http.StatusCreated, About: "The file has been read.", Body: activityFileBody{}, Headers: []string{"Location"}},
			{Status: http.StatusOK, About: "The file was there already, read in the same way. Nothing has changed.", Body: activityFileBody{}, Headers: []string{"Location"}},
		},
		Problems: []problem.Code{problem.Conflict, problem.FileTooLarge, problem.UnsupportedFileType, problem.FileNotUnderstood, problem.AmbiguousDates},
	}
}

func activityFileOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "downloadActivityFile", Tag: tagActivity, Summary: "Download an activity file",
		Description: "Answers with the bytes as they were uploaded.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The file.", Media: []string{load.MediaCSV, load.MediaXLSX, load.MediaHTML}, Headers: []string{"Content-Disposition"}}},
	}
}

func deleteActivityFileOperation() Operation {
	return Operation{
		ID: "deleteActivityFile", Tag: tagActivity, Summary: "Delete an activity file",
		Description: "Deletes a file with all that was read from it. One that belongs to an interview under a legal hold stays.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The file is gone."}},
		Problems:    []problem.Code{problem.LegalHold},
	}
}

func rulesetOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getRuleset", Tag: tagActivity, Summary: "Read the thresholds",
		Description: "Reads the thresholds by which the organization judges activity: its own, or those of the preset `neutral`.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The thresholds.", Body: analysis.Ruleset{}}},
	}
}

func replaceRulesetOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "replaceRuleset", Tag: tagActivity, Summary: "Replace the thresholds",
		Description: "Replaces the thresholds by which the organization judges activity. Members that are left out have the values of the preset `neutral`, and a limit that is null is not checked. Earlier thresholds are kept, so that it can be told what a report was made with.",
		Body:        Body{Name: "RulesetChange", About: "The thresholds.", Like: analysis.Ruleset{}},
		Answers:     []Answer{{Status: http.StatusOK, About: "The thresholds as they are now.", Body: analysis.Ruleset{}}},
	}
}

func calendarOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getCalendar", Tag: tagActivity, Summary: "Read the calendar of news",
		Description: "Answers with the organization's calendar of scheduled news, as it was given; where none was, with its columns and no events.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The calendar.", Media: []string{decode.MediaCSV}}},
	}
}

func replaceCalendarOperation() Operation {
	return Operation{
		ID: "replaceCalendar", Tag: tagActivity, Summary: "Replace the calendar of news",
		Description: "Replaces the organization's calendar of scheduled news, which trades around news are held against. The body is CSV in UTF-8 of at most 16 MiB. Its first line names the columns, in any order: " +
			"`time` (RFC 3339), `currency` (three letters), `impact` (`low`, `medium` or `high`), and `title` where there is one. It is taken whole or, with the lines that are wrong, not at all.",
		Body:    Body{Name: "CalendarText", About: "The calendar, such as `time,currency,impact` and a line `2026-01-09T13:30:00Z,USD,high`."},
		Answers: []Answer{{Status: http.StatusOK, About: "The calendar has been replaced.", Body: calendarBody{}}},
	}
}
