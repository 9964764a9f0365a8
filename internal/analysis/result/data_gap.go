package result

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
