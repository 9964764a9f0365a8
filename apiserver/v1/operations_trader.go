package v1

import (
	"net/http"
)

func listTradersOperation() Operation {
	return Operation{
		ID: "listTraders", Tag: tagTraders, Summary: "List the traders",
		Description: "Lists the organization's directory of traders, newest first. Archived traders are left out.",
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
