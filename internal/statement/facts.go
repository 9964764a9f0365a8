package statement

import (
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// sheetFacts are what a sheet, or a file of an archive, says outside of its tables. Each may be of an
// account of its own.
type sheetFacts struct {
	name            string
	tables          int
	login, currency string
	zone            statedZone
	results         results
	traded          tally // the closed positions that were read
}

// tally counts closed positions and adds their results.
type tally struct {
	closed, long, stated int // stated are those with a result
	net                  amount.Sum
}

// addTrade adds a trade if it is closed.
func (n *tally) addTrade(t *record.Trade) {
	if t.Open() {
		return
	}
	n.closed++
	if t.Side == record.Buy {
		n.long++
	}
	if t.Profit != "" {
		n.stated++
		n.net.Add(t.Profit)
	}
}

// statedZone is that of "Time Zone:UTC+3".
type statedZone struct {
	stated bool
	offset time.Duration
}

// results are the file's own figures; empty when it has none.
type results struct {
	net, trades, long, short string
	exact                    bool // numbers of a workbook
}

// isAccountLine recognizes "123456 (USD, Broker-Server, real, Hedge)", which MT5
// writes alike in all languages.
func isAccountLine(text string) bool {
	login, rest, found := strings.Cut(text, "(")
	login = strings.TrimSpace(login)
	return found && len(login) >= 4 && strings.Trim(login, "0123456789") == "" && strings.Contains(rest, ",") && strings.HasSuffix(rest, ")") && words.IsCommonCurrency(rest[:3])
}

// readLogin takes the number of "123456 (USD, Broker-Server, real, Hedge)".
func readLogin(text string) string {
	text, _, _ = strings.Cut(text, "(")
	text = strings.TrimSpace(text)
	if len(text) > maxLoginBytes {
		return ""
	}
	return words.Clean(value.TrimFraction(text), maxLoginBytes)
}

// maxLoginBytes bounds Options.AccountLogin and logins read from files.
const maxLoginBytes = 64
