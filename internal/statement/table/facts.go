package table

import (
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// SheetFacts are what a sheet, or a file of an archive, says outside of its tables. Each may be of an
// account of its own.
type SheetFacts struct {
	Name            string
	Tables          int
	Login, Currency string
	Zone            StatedZone
	Results         Results
	Traded          Tally // the closed positions that were read
}

// Tally counts closed positions and adds their results.
type Tally struct {
	Closed, Long, Stated int // Stated are those with a result
	Net                  amount.Sum
}

// AddTrade adds a trade if it is closed.
func (n *Tally) AddTrade(t *record.Trade) {
	if t.Open() {
		return
	}
	n.Closed++
	if t.Side == record.Buy {
		n.Long++
	}
	if t.Profit != "" {
		n.Stated++
		n.Net.Add(t.Profit)
	}
}

// StatedZone is that of "Time Zone:UTC+3".
type StatedZone struct {
	Stated bool
	Offset time.Duration
}

// Results are the file's own figures; empty when it has none.
type Results struct {
	Net, Trades, Long, Short string
	Exact                    bool // numbers of a workbook
}

// IsAccountLine recognizes "123456 (USD, Broker-Server, real, Hedge)", which MT5
// writes alike in all languages.
func IsAccountLine(text string) bool {
	login, rest, found := strings.Cut(text, "(")
	login = strings.TrimSpace(login)
	return found && len(login) >= 4 && strings.Trim(login, "0123456789") == "" && strings.Contains(rest, ",") && strings.HasSuffix(rest, ")") && words.IsCommonCurrency(rest[:3])
}

// ReadLogin takes the number of "123456 (USD, Broker-Server, real, Hedge)".
func ReadLogin(text string) string {
	text, _, _ = strings.Cut(text, "(")
	text = strings.TrimSpace(text)
	if len(text) > MaxLoginBytes {
		return ""
	}
	return words.Clean(value.TrimFraction(text), MaxLoginBytes)
}

// MaxLoginBytes bounds the logins of accounts, those that senders give included.
const MaxLoginBytes = 64
