package privacy

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/route"
)

// operations are about all data of a person.
var operations = map[string]route.Operation{
	"exportInterview": {
		Tag: route.TagInterviews, Summary: "Export an interview",
		Description: "Returns a ZIP file with everything that is stored about an interview: its fields, every version of the report, transcript, events, consent, captions, " +
			"views, answers with their recordings, and the activity file. The export is recorded in the audit log. The report and the activity belong to the firm: " +
			"where they compare accounts, they contain the ids of other traders' accounts. Remove these before you give the file to the trader.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "The ZIP file.", Media: []string{mediaZIP}, Headers: []string{"Content-Disposition"}}},
	},
	"exportTrader": {
		Tag: route.TagTraders, Summary: "Export a trader",
		Description: "Returns a ZIP file with everything that is stored about a trader: profile, accounts, payouts, notes, trades, activity files and interviews. The " +
			"export is recorded in the audit log.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "The ZIP file.", Media: []string{mediaZIP}, Headers: []string{"Content-Disposition"}}},
	},
	"eraseTrader": {
		Tag: route.TagTraders, Summary: "Erase a trader",
		Description: "Deletes everything about a trader: interviews, notes, activity files, accounts, trades and payouts. An empty, archived row keeps the id. From then " +
			"on, assay ignores what the platform sends about this person.",
		Answers:  []route.Answer{{Status: http.StatusNoContent, About: "The trader is erased."}},
		Problems: []problem.Code{problem.LegalHold, problem.Conflict},
	},
}
