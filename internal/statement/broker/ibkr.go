package broker

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// The exports of Interactive Brokers list executions in three forms: the activity statement, whose
// rows begin with their section and their kind, and Flex queries as CSV and as XML. An ibkrReader
// makes the same table of each.

// ibkrField is what a column of an export is.
type ibkrField uint8

const (
	ibkrLevel ibkrField = iota // order, execution, closed lot
	ibkrCategory
	ibkrCurrency
	ibkrAccount
	ibkrSymbol
	ibkrTime
	ibkrDay      // these two of queries
	ibkrClock    // without the time
	ibkrQuantity // below zero of what was sold
	ibkrPrice
	ibkrCommission
	ibkrCommissionCurrency // of queries; that of the trade without it
	ibkrProfit             // realized, after commissions
	ibkrCode
	ibkrID
	ibkrRate // to the account's currency
	ibkrFields
)

// ibkrNames are the folded names of columns, and of XML attributes.
var ibkrNames = map[string]ibkrField{
	"datadiscriminator": ibkrLevel, "levelofdetail": ibkrLevel,
	"assetcategory": ibkrCategory, "assetclass": ibkrCategory,
	"currency": ibkrCurrency, "currencyprimary": ibkrCurrency,
	"account": ibkrAccount, "clientaccountid": ibkrAccount, "accountid": ibkrAccount,
	"symbol":   ibkrSymbol,
	"datetime": ibkrTime, "tradedate": ibkrDay, "tradetime": ibkrClock,
	"quantity": ibkrQuantity,
	"tprice":   ibkrPrice, "tradeprice": ibkrPrice, "price": ibkrPrice,
	"commfee": ibkrCommission, "commin": ibkrCommission, "ibcommission": ibkrCommission, "commission": ibkrCommission,
	"ibcommissioncurrency": ibkrCommissionCurrency, "commissioncurrency": ibkrCommissionCurrency,
	"realizedpl": ibkrProfit, "fifopnlrealized": ibkrProfit,
	"code": ibkrCode, "opencloseindicator": ibkrCode,
	"tradeid": ibkrID, "ibexecid": ibkrID,
	"fxratetobase": ibkrRate,
}

// ibkrOrder are the columns of an activity statement in their order, the same in all its languages.
// The account stands after the currency in statements of several accounts.
var ibkrOrder = []ibkrField{
	ibkrLevel, ibkrCategory, ibkrCurrency, ibkrSymbol, ibkrTime, ibkrQuantity, ibkrPrice, ibkrFields, ibkrFields, ibkrCommission, ibkrFields, ibkrProfit, ibkrFields, ibkrCode,
}

// ibkrTitles is the header of the table that is made. Its names are those of the format.
var ibkrTitles = [...]string{
	"DataDiscriminator", "Asset Category", "Currency", "Account", "Symbol", "Date/Time", "Quantity", "T. Price", "Comm/Fee", "Realized P/L", "Open/CloseIndicator", "TradeID", "Buy/Sell",
}

// ibkrColumns says which cell of a row holds a field; -1 where none does.
type ibkrColumns [ibkrFields]int

func (c *ibkrColumns) cellOf(cells []sheet.Cell, f ibkrField) sheet.Cell {
	if i := c[f]; i >= 0 && i < len(cells) {
		return cells[i]
	}
	return sheet.Cell{}
}

func (c *ibkrColumns) valueOf(cells []sheet.Cell, f ibkrField) string { return c.cellOf(cells, f).Text }

// readColumns finds the columns in a header; ok is false if it does not have those of executions.
func readColumns(header []sheet.Cell) (c ibkrColumns, ok bool) {
	for f := range c {
		c[f] = -1
	}
	for i, h := range header {
		if f, known := ibkrNames[table.ReadName(h.Text)]; known && c[f] < 0 {
			c[f] = i
		}
	}
	for _, f := range []ibkrField{ibkrSymbol, ibkrQuantity, ibkrPrice} {
		if c[f] < 0 {
			return c, false
		}
	}
	return c, c[ibkrTime] >= 0 || c[ibkrDay] >= 0
}

// timeOf returns the time of an execution, which some queries give in two columns.
func (c *ibkrColumns) timeOf(cells []sheet.Cell) string {
	if c[ibkrTime] >= 0 {
		return cutClock(c.valueOf(cells, ibkrTime))
	}
	return cutClock(c.valueOf(cells, ibkrDay) + ";" + c.valueOf(cells, ibkrClock))
}

// readStatementColumns is readColumns for an activity statement, by order where the names are
// those of another language.
func readStatementColumns(header []sheet.Cell) (c ibkrColumns, ok bool) {
	if c, ok = readColumns(header); ok {
		return c, true
	}
	order := ibkrOrder
	if len(header) == len(order)+1 {
		order = slices.Insert(slices.Clone(order), 3, ibkrAccount)
	}
	if len(header) != len(order) {
		return c, false
	}
	for i, f := range order {
		if f != ibkrFields {
			c[f] = i
		}
	}
	return c, true
}

// executionsOf gives the rows of an export that stand below headers of executions, with their
// columns, and what the export says of the account, as pairs of a folded name and a value.
type executionsOf func(ctx context.Context, rows sheet.Source, f func(*sheet.Row, *ibkrColumns) error, pair func(name, value string)) error

// ibkrReader is a source of executions.
type ibkrReader struct {
	sheet.Source
	executions executionsOf

	// What the first reading has found.
	surveyed bool
	level    string // orders are read if there are any, and else their executions
	login    string
	base     string // currency of the results: of all executions, the account's, or the one of most executions
	rated    bool   // the rates are those to base, or to the account's currency if base is empty
	foreign  int    // executions in other currencies, or with a commission in one, that cannot be converted
}

// ibkrCurrencies are the currencies of executions, and what is known of each.
type ibkrCurrencies map[string]*ibkrMoney

type ibkrMoney struct {
	executions int
	unrated    int            // of them, those without a rate to the account's currency
	par        bool           // a rate is 1, as that of the account's currency
	fees       map[string]int // commissions in other currencies than this one
}

// countExecution counts an execution. fee is the currency of its commission; empty if the export does not name one.
func (m ibkrCurrencies) countExecution(currency, rate, fee string) {
	if m[currency] == nil {
		m[strings.Clone(currency)] = &ibkrMoney{fees: map[string]int{}}
	}
	of := m[currency]
	of.executions++
	of.par = of.par || rate == "1"
	if _, rated := value.ScanNumber(rate); !rated {
		of.unrated++
	}
	if words.IsCurrency(fee) && fee != currency {
		of.fees[strings.Clone(fee)]++
	}
}

// chooseBase returns the currency in which results are read, given that of the account if the
// export names it. Rates say it if all are those of one account. If each execution has one and none
// is in the account's currency, the currency is not known and empty. Otherwise it is the account's if
// anything was traded in it, or the one of most executions.
func (m ibkrCurrencies) chooseBase(base string, oneAccount bool) (chosen string, rated bool) {
	most, par := "", []string{}
	allRated := len(m) > 1
	for _, currency := range slices.Sorted(maps.Keys(m)) {
		of := m[currency]
		if most == "" || of.executions > m[most].executions {
			most = currency
		}
		if of.par {
			par = append(par, currency)
		}
		allRated = allRated && words.IsCurrency(currency) && of.unrated == 0
	}
	switch {
	case oneAccount && len(par) == 1:
		return par[0], true
	case oneAccount && len(par) == 0 && base == "" && allRated:
		return "", true
	case base != "" && m[base] != nil:
		return base, false
	}
	return most, false
}

// convertedBy multiplies money by a rate. It returns an empty cell if one of them is no number.
func convertedBy(money sheet.Cell, rate string) sheet.Cell {
	n, ok := value.ReadNumber(money)
	by, rates := value.ScanNumber(rate)
	if !ok || !rates {
		return sheet.Cell{}
	}
	a, ok := n.ToDecimal(value.Point)
	b, rates := by.ToDecimal(value.Point)
	if !ok || !rates {
		return sheet.Cell{}
	}
	product := amount.ToRat(a)
	return sheet.Cell{Text: product.Mul(product, amount.ToRat(b)).FloatString(amount.UnitDigits)}
}

// maxCurrencies bounds the currencies of an export, of which there are fewer than two hundred.
const maxCurrencies = 1000

// takeSurvey reads the export for the first time.
func (r *ibkrReader) takeSurvey(ctx context.Context) error {
	levels := map[string]ibkrCurrencies{}
	account, oneAccount := "", true
	err := r.executions(ctx, r.Source, func(row *sheet.Row, c *ibkrColumns) error {
		level := levelOf(c.valueOf(row.Cells, ibkrLevel))
		if levels[level] == nil {
			levels[level] = ibkrCurrencies{}
		}
		if holder := c.valueOf(row.Cells, ibkrAccount); account == "" {
			account = strings.Clone(holder)
		} else {
			oneAccount = oneAccount && holder == account
		}
		if levels[level].countExecution(c.valueOf(row.Cells, ibkrCurrency), c.valueOf(row.Cells, ibkrRate), c.valueOf(row.Cells, ibkrCommissionCurrency)); len(levels[level]) > maxCurrencies {
			return refusal.New(refusal.NotUnderstood, "Line %d: the file has trades in more than %d currencies.", row.Line, maxCurrencies)
		}
		return nil
	}, func(name, value string) {
		if english, ok := words.English[name]; ok {
			name = english
		}
		switch name {
		case "account":
			r.login = strings.Clone(value)
		case "basecurrency":
			r.base = strings.Clone(value)
		}
	})
	if err != nil {
		return err
	}
	if len(levels) == 0 {
		return refusal.New(refusal.NotUnderstood, "The statement has no trades. Send an activity statement or a Flex query that includes the section Trades, for a period with trades.")
	}
	r.surveyed, r.level = true, "execution"
	if len(levels["order"]) > 0 {
		r.level = "order"
	}
	r.base, r.rated = levels[r.level].chooseBase(r.base, oneAccount)
	for currency, of := range levels[r.level] {
		if words.IsCurrency(currency) && currency != r.base && !r.rated {
			r.foreign += of.executions
			continue
		}
		if currency != r.base {
			r.foreign += of.unrated
		}
		for fee, n := range of.fees {
			if fee != r.base {
				r.foreign += n
			}
		}
	}
	return nil
}

// levelOf reads what a row is: an order, an execution, or something else that is no trade of its
// own, such as a closed lot.
func levelOf(text string) string {
	switch words.Fold(text) {
	case "order":
		return "order"
	case "trade", "execution", "":
		return "execution"
	}
	return ""
}

// Each implements sheet.Source.
func (r *ibkrReader) Each(ctx context.Context, f func(*sheet.Row) error) error {
	if !r.surveyed {
		if err := r.takeSurvey(ctx); err != nil {
			return err
		}
	}
	cells := make([]sheet.Cell, len(ibkrTitles))
	out := sheet.Row{Cells: cells, Line: 1}
	give := func(values ...sheet.Cell) error {
		out.Cells = append(cells[:0], values...)
		return f(&out)
	}
	if err := give(textCells("Account:", r.login, "Currency:", r.base)...); err != nil {
		return err
	}
	headed := false // each sheet of a workbook has a header
	beginTable := func(name string) error {
		if headed && name == out.Sheet {
			return nil
		}
		headed, out.Sheet = true, name
		return give(textCells(ibkrTitles[:]...)...)
	}
	err := r.executions(ctx, r.Source, func(row *sheet.Row, c *ibkrColumns) error {
		value := func(f ibkrField) string { return c.valueOf(row.Cells, f) }
		as := func(f ibkrField) sheet.Cell { return c.cellOf(row.Cells, f) }
		if levelOf(value(ibkrLevel)) != r.level || value(ibkrSymbol) == "" {
			return nil
		}
		if row.Whole && len(row.Cells) <= c[ibkrPrice] {
			return refusal.New(refusal.NotUnderstood, "Line %d: the row has %d cells, fewer than its table has columns. The file was truncated or changed. Export it again.", row.Line, len(row.Cells))
		}
		currency, commission, profit := r.amountsOf(row.Cells, c)
		side := "Buy"
		if strings.HasPrefix(value(ibkrQuantity), "-") {
			side = "Sell"
		}
		if err := beginTable(row.Sheet); err != nil {
			return err
		}
		out.Line = row.Line
		return give(as(ibkrLevel), as(ibkrCategory), currency, as(ibkrAccount), as(ibkrSymbol), sheet.Cell{Text: c.timeOf(row.Cells)},
			as(ibkrQuantity), as(ibkrPrice), commission, profit, sheet.Cell{Text: entryOfCode(value(ibkrCode))}, as(ibkrID), sheet.Cell{Text: side})
	}, func(string, string) {})
	if err != nil {
		return err
	}
	return beginTable(out.Sheet)
}

// amountsOf returns the currency of an execution, its commission and its result. Money of several
// currencies cannot be added: what is in another one than the results is converted at the row's rate,
// or left out, and the currency then as well.
func (r *ibkrReader) amountsOf(cells []sheet.Cell, c *ibkrColumns) (currency, commission, profit sheet.Cell) {
	currency, commission, profit = c.cellOf(cells, ibkrCurrency), c.cellOf(cells, ibkrCommission), c.cellOf(cells, ibkrProfit)
	fee, rate := currency.Text, ""
	if of := c.valueOf(cells, ibkrCommissionCurrency); words.IsCurrency(of) {
		fee = of
	}
	if r.rated {
		rate = c.valueOf(cells, ibkrRate)
	}
	switch {
	case !words.IsCurrency(fee) || fee == r.base:
	case fee == currency.Text:
		commission = convertedBy(commission, rate)
	default:
		commission = sheet.Cell{}
	}
	if words.IsCurrency(currency.Text) && currency.Text != r.base {
		currency, profit = sheet.Cell{}, convertedBy(profit, rate)
	}
	return currency, commission, profit
}

// textCells makes cells of texts.
func textCells(texts ...string) []sheet.Cell {
	cells := make([]sheet.Cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

// Describe implements sheet.Source.
func (r *ibkrReader) Describe() sheet.Description {
	d := r.Source.Describe()
	if r.foreign > 0 {
		d.Warnings = append(d.Warnings, sheet.Warning{
			Code: "other_currencies", Count: r.foreign,
			Detail: "Some trades, or their commissions, are in other currencies than the results of the account. Their amounts in such currencies were left out, because the file does not say how to convert them.",
		})
	}
	return d
}

// entryOfCode reads whether an execution opens or closes from its codes, such as "C;P".
func entryOfCode(codes string) string {
	opens, closes := false, false
	for code := range strings.SplitSeq(codes, ";") {
		switch strings.ToUpper(strings.TrimSpace(code)) {
		case "O":
			opens = true
		case "C":
			closes = true
		}
	}
	switch {
	case opens && closes:
		return "in/out"
	case opens:
		return "in"
	case closes:
		return "out"
	}
	return ""
}

// cutClock writes "20260113;080000" and "2026-01-13, 08:00:00" as other exports write times.
func cutClock(text string) string {
	day, clock, found := strings.Cut(text, ";")
	if !found {
		if day, clock, found = strings.Cut(text, ","); !found {
			return text
		}
	}
	clock, zone, _ := strings.Cut(strings.TrimSpace(clock), " ")
	if len(clock) == 6 && strings.Trim(clock, "0123456789") == "" {
		clock = clock[:2] + ":" + clock[2:4] + ":" + clock[4:]
	}
	return strings.TrimSpace(day + " " + clock + " " + zone)
}

// isActivityStatement reports whether a line is the header of a section of an activity statement,
// in any language. A file may begin with the section of trades.
func isActivityStatement(first []sheet.Cell) bool {
	return len(first) > 3 && words.Fold(first[1].Text) == "header"
}

// eachOfStatement gives the executions of an activity statement: rows of a section, whose second
// cell says what they are.
func eachOfStatement(ctx context.Context, rows sheet.Source, f func(*sheet.Row, *ibkrColumns) error, pair func(name, value string)) error {
	var section string
	var columns ibkrColumns
	known, width := false, 0
	return rows.Each(ctx, func(r *sheet.Row) error {
		if len(r.Cells) < 4 || words.Fold(r.Cells[1].Text) == "" {
			return table.RefuseMixed(r, isStatementRow)
		}
		cells := r.Cells[2:]
		switch words.Fold(r.Cells[1].Text) {
		case "header":
			section, known = strings.Clone(r.Cells[0].Text), false
			if words.Fold(cells[0].Text) == "datadiscriminator" {
				columns, known = readStatementColumns(cells)
				width = len(cells)
			}
		case "data":
			pair(words.Fold(cells[0].Text), cells[1].Text)
			if known && r.Cells[0].Text == section {
				if r.Unended && len(cells) < width {
					return refuseTruncated(r)
				}
				in := *r
				in.Cells = cells
				return f(&in, &columns)
			}
		}
		return nil
	})
}

// isStatementRow reports whether cells with the texts are a row of an activity statement.
func isStatementRow(texts []string) bool { return words.Fold(texts[1]) == "data" }

func refuseTruncated(r *sheet.Row) error {
	return refusal.New(refusal.NotUnderstood, "Line %d: the file ends within this row, so it was truncated. Export it again.", r.Line)
}

// isFlexHeader reports whether a row names columns that only Flex queries have.
func isFlexHeader(cells []sheet.Cell) bool {
	if _, ok := readColumns(flexCells(cells)); !ok {
		return false
	}
	return slices.ContainsFunc(cells, func(h sheet.Cell) bool {
		return slices.Contains([]string{"ibcommission", "fifopnlrealized", "clientaccountid", "currencyprimary", "ibexecid"}, words.Fold(h.Text))
	})
}

// flexCells cuts off the section's code and the descriptor of a line, where a query was told to
// write them: HEADER,TRNT,... and DATA,TRNT,...
func flexCells(cells []sheet.Cell) []sheet.Cell {
	if len(cells) > 2 && (cells[0].Text == "HEADER" || cells[0].Text == "DATA") {
		return cells[2:]
	}
	return cells
}

// eachOfFlex gives the executions of a Flex query as CSV. Its other sections have headers of their
// own, or are set apart by lines such as BOS and EOS.
func eachOfFlex(ctx context.Context, rows sheet.Source, f func(*sheet.Row, *ibkrColumns) error, _ func(name, value string)) error {
	var columns ibkrColumns
	known, width := false, 0
	return rows.Each(ctx, func(r *sheet.Row) error {
		cells := flexCells(r.Cells)
		_, isNumber := value.ScanNumber(columns.valueOf(cells, ibkrQuantity))
		switch {
		case (!known || !isNumber) && isFlexHeader(r.Cells): // most rows are data, whose cells need no folding
			columns, known = readColumns(cells)
			width = len(cells)
		case len(cells) > 0 && slices.Contains([]string{"BOF", "BOA", "BOS", "EOS", "EOA", "EOF"}, cells[0].Text):
			known = false
		case words.Fold(cells[0].Text) == "clientaccountid": // of another section
			known = false
		case known:
			if len(cells) < width && r.Unended {
				return refuseTruncated(r)
			}
			in := *r
			in.Cells = cells
			return f(&in, &columns)
		}
		return nil
	})
}
