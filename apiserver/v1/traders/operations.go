package traders

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
)

// operations are about traders.
var operations = map[string]route.Operation{
	"listTraders": {
		Tag: route.TagTraders, Summary: "List traders",
		Description: "Lists the organization's directory of traders, newest first unless `sort` is given. Archived traders are included only if `status` asks for them.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "A page of traders.", Body: response.Page[traderBody]{}, Headers: []string{"Link"}}},
	},
	"getTrader": {
		Tag: route.TagTraders, Summary: "Retrieve a trader", Conditional: true,
		Description: "Returns a trader with accounts, payouts, notes, interviews and totals.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The trader.", Body: DetailBody{}}},
	},
	"listTrades": {
		Tag: route.TagTraders, Summary: "List the trades of a trader",
		Description: "Lists the trades of all accounts of a trader, latest opening time first unless `sort` is given.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "A page of trades.", Body: response.Page[TradeBody]{}, Headers: []string{"Link"}}},
	},
	"exportTraders": {
		Tag: route.TagTraders, Summary: "Export traders as CSV",
		Description: "Returns all traders that match the filter, newest first unless `sort` is given, without pages.", Answers: csvexport.DescribeFile(),
	},
	"exportTrades": {
		Tag: route.TagTraders, Summary: "Export the trades of a trader as CSV",
		Description: "Returns all trades of a trader that match the filter, latest opening time first unless `sort` is given, without pages.", Answers: csvexport.DescribeFile(),
	},
	"createTrader": {
		Tag: route.TagTraders, Summary: "Create a trader",
		Description: "Creates a trader by hand. If exactly one trader with the same email has come from a platform, and its `external_id` is the same or none is given, no " +
			"second trader is created. Instead, that trader gets the values in the body, becomes active again if it was archived, and is returned.",
		Body:     route.Body{Name: "NewTrader", About: "The trader.", Read: route.ReaderOf(ReadNew)},
		Answers:  []route.Answer{{Status: http.StatusCreated, About: "The trader.", Body: traderBody{}, Headers: []string{"Location"}}},
		Problems: []problem.Code{problem.Conflict},
	},
	"updateTrader": {
		Tag: route.TagTraders, Summary: "Update a trader", Conditional: true,
		Description: "Updates the fields in the body and leaves the others unchanged. On a trader that was created by hand, null clears any field except `full_name`. On a " +
			"trader that was read from a platform, a value overrides the platform's, which is kept and listed in `overrides`; null restores the platform's value. " +
			"If a new `email` shows that two traders are the same person, they are merged into one, which keeps this `id`.",
		Body:     route.Body{Name: "TraderPatch", About: "The fields to update.", Read: func(o *decode.Object) { readTraderPatch(o, false) }},
		Answers:  []route.Answer{{Status: http.StatusOK, About: "The updated trader.", Body: DetailBody{}}},
		Problems: []problem.Code{problem.Conflict},
	},
	"listDuplicates": {
		Tag: route.TagTraders, Summary: "List possible duplicates of a trader",
		Description: "Lists other traders who may be the same person, with the reasons.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The possible duplicates.", Body: duplicatesBody{}, Headers: []string{"Link"}}},
	},
	"mergeTraders": {
		Tag: route.TagTraders, Summary: "Merge two traders",
		Description: "Merges the trader `duplicateId` into the trader `id`, because they are the same person. `duplicateId` no longer works. At least one of them must have " +
			"been created manually. If the other one was read from a platform, the merged trader is too, and values that were entered manually override the platform's. Of two " +
			"traders that were created manually, the values of `id` take precedence. Notes, interviews and files of both are kept, their tags are united, and the stricter " +
			"`status` remains. A merge cannot be undone.",
		Answers:  []route.Answer{{Status: http.StatusOK, About: "The merged trader.", Body: traderBody{}}},
		Problems: []problem.Code{problem.Conflict},
	},
	"dismissDuplicate": {
		Tag: route.TagTraders, Summary: "Dismiss a duplicate",
		Description: "Records that two traders are not the same person. assay does not merge them by email then.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The duplicate is dismissed."}},
		Problems:    []problem.Code{problem.Conflict},
	},
	"restoreDuplicate": {
		Tag: route.TagTraders, Summary: "Restore a dismissed duplicate",
		Description: "Takes back that two traders are not the same person. If nobody has said that, nothing changes.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The duplicate is not dismissed."}},
		Problems:    []problem.Code{problem.Conflict},
	},
	"createNote": {
		Tag: route.TagTraders, Summary: "Add a note to a trader",
		Description: "Adds a note that only people of the organization can read. A trader has at most 1000 notes.",
		Body:        route.Body{Name: "NewNote", About: "The note.", Read: route.ReaderOf(readNote)},
		Answers:     []route.Answer{{Status: http.StatusCreated, About: "The note.", Body: noteBody{}}},
		Problems:    []problem.Code{problem.Conflict},
	},
	"deleteNote": {
		Tag: route.TagTraders, Summary: "Delete a note",
		Description: "Deletes a note about a trader.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The note is deleted."}},
	},
	"listPayouts": {
		Tag: route.TagTraders, Summary: "List payouts",
		Description: "Lists the payouts of all traders, last requested first unless `sort` is given.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "A page of payouts.", Body: response.Page[listedPayoutBody]{}, Headers: []string{"Link"}}},
	},
	"exportPayouts": {
		Tag: route.TagTraders, Summary: "Export payouts as CSV",
		Description: "Returns all payouts that match the filter, last requested first unless `sort` is given, without pages.", Answers: csvexport.DescribeFile(),
	},
}
