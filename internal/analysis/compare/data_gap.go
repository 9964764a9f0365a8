package compare

import (
	"fmt"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// ListGaps lists accounts that two sources report. They are not compared with each
// other, because whatever they have in common is one person's.
func (pairs *Pairing) ListGaps() []result.DataGap {
	gaps := []result.DataGap{}
	for _, pair := range pairs.same {
		a, b := pairs.all[pair[0]].account, pairs.all[pair[1]].account
		gap := result.DataGap{Kind: result.GapSameAccount, AccountIDs: []string{a.ID}, Detail: fmt.Sprintf(
			"%s also belongs to another trader, with the same login, tickets and open times. It is one account, so copying was not checked.",
			wording.CapitalizeFirst(wording.NameAccount(a)))}
		if !b.Peer {
			gap.Kind, gap.AccountIDs = result.GapAccountTwice, []string{a.ID, b.ID}
			gap.Detail = fmt.Sprintf("%s appears twice, with the same login, tickets and open times. Its trades count twice, and copying was not checked.", wording.CapitalizeFirst(wording.NameAccount(a)))
		}
		gaps = append(gaps, gap)
	}
	return gaps[:min(len(gaps), maxGaps)]
}

// maxGaps bounds the list.
const maxGaps = 100
