package analysis

import "fmt"

// GapKind is what is missing, or cannot be right, in the data.
type GapKind string

// The kinds of gaps.
const (
	// GapSameAccount is an account that another trader also has: the login and tickets are equal,
	// and the trades were opened at the same times.
	GapSameAccount GapKind = "same_account_under_two_traders"
	// GapAccountTwice is an account that the trader has twice: the login and tickets are equal, and
	// the trades were opened at the same times.
	GapAccountTwice GapKind = "same_account_twice"
)

// DataGap is a problem with the data itself that matters when you judge the analysis.
type DataGap struct {
	Kind   GapKind `json:"kind"`                                                                               // kind of problem
	Detail string  `json:"detail" api:"max=1000" example:"Account \"900\" belongs to another trader as well."` // description of the problem, in one or two sentences
	// Identifiers of the trader's accounts that are affected.
	AccountIDs []string `json:"account_ids" api:"items=2,max=36" example:"[\"3f8c1f5e-0a2b-4d4b-9a39-0d5b7a3c1e11\"]"`
}

// dataGaps lists accounts that two sources report. They are not compared with each
// other, because whatever they have in common is one person's.
func (v *View) dataGaps() []DataGap {
	gaps := []DataGap{}
	for _, pair := range v.pairs.same {
		a, b := v.pairs.all[pair[0]].account, v.pairs.all[pair[1]].account
		gap := DataGap{Kind: GapSameAccount, AccountIDs: []string{a.ID}, Detail: fmt.Sprintf(
			"%s also belongs to another trader, with the same login, tickets and open times. It is one account, so copying was not checked.",
			capitalizeFirst(accountName(a)))}
		if !b.Peer {
			gap.Kind, gap.AccountIDs = GapAccountTwice, []string{a.ID, b.ID}
			gap.Detail = fmt.Sprintf("%s appears twice, with the same login, tickets and open times. Its trades count twice, and copying was not checked.", capitalizeFirst(accountName(a)))
		}
		gaps = append(gaps, gap)
	}
	return gaps[:min(len(gaps), maxGaps)]
}

// maxGaps bounds the list.
const maxGaps = 100
