package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

func listTradersOperation() Operation {
	return Operation{
		ID: "listTraders", Tag: tagTraders, Summary: "List the traders",
		Description: "Lists the organization's directory of traders, newest first. Archived traders are left out unless `status` asks for them.",
		Answers:     []Answer{{Status: http.StatusOK, About: "A page of traders.", Body: page[traderBody]{}, Headers: []string{"Link"}}},
	}
}

func traderOperation() Operation {
	return Operation{
		Conditional: true,
		ID:          "getTrader", Tag: tagTraders, Summary: "Read a trader",
		Description: "Reads a trader with accounts, payouts, notes, interviews and sums.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The trader.", Body: traderDetailBody{}}},
	}
}

func listTradesOperation() Operation {
	return Operation{
		ID: "listTrades", Tag: tagTraders, Summary: "List the trades of a trader",
		Description: "Lists the trades of all accounts of a trader, the one opened last first.",
		Answers:     []Answer{{Status: http.StatusOK, About: "A page of trades.", Body: page[tradeBody]{}, Headers: []string{"Link"}}},
	}
}

func createTraderOperation() Operation {
	return Operation{
		ID: "createTrader", Tag: tagTraders, Summary: "Add a trader",
		Description: "Adds a trader by hand. Where a platform has sent exactly one trader of the same email, no second one is made: the answer is that one, with what the body holds set on it, and active again if it was archived. One with another external_id is not the same.",
		Body:        Body{Name: "NewTrader", About: "The trader.", Read: func(o *decode.Object) { readNewTrader(o) }},
		Answers:     []Answer{{Status: http.StatusCreated, About: "The trader.", Body: traderBody{}, Headers: []string{"Location"}}},
		Problems:    []problem.Code{problem.Conflict},
	}
}

func updateTraderOperation() Operation {
	return Operation{
		ID: "updateTrader", Tag: tagTraders, Summary: "Change a trader", Conditional: true,
		Description: "Changes the members that the body holds and leaves the others as they are. On a trader made by hand null clears a member, but for `full_name`. " +
			"On a trader read from a platform a value takes the place of the platform's, which is kept beside it and named in `overrides`; null shows the platform's value again. " +
			"Where a new `email` shows that two traders are one, they become one, which keeps this `id`.",
		Body:     Body{Name: "TraderPatch", About: "The members to change.", Read: func(o *decode.Object) { readTraderPatch(o, false) }},
		Answers:  []Answer{{Status: http.StatusOK, About: "The trader as it is now.", Body: traderDetailBody{}}},
		Problems: []problem.Code{problem.Conflict},
	}
}

func addNoteOperation() Operation {
	return Operation{
		ID: "createNote", Tag: tagTraders, Summary: "Write a note on a trader",
		Description: "Writes a note, which only people of the organization read. A trader has at most 1000.",
		Body:        Body{Name: "NewNote", About: "The note.", Read: func(o *decode.Object) { readNote(o) }},
		Answers:     []Answer{{Status: http.StatusCreated, About: "The note.", Body: noteBody{}}},
		Problems:    []problem.Code{problem.Conflict},
	}
}

func deleteNoteOperation() Operation {
	return Operation{
		ID: "deleteNote", Tag: tagTraders, Summary: "Delete a note on a trader",
		Description: "Deletes a note.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The note is gone."}},
	}
}
