package statement

import (
	"cmp"
	"crypto/sha256"
	"strings"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
	"github.com/assayhq/assay/internal/statement/words"
)

// hashRow returns a hash of all cells of a row but running sums and numbers.
func (b *builder) hashRow(t *table.Table, r *sheet.Row) [16]byte {
	b.buf = b.buf[:0]
	for i, c := range r.Cells {
		if i >= len(t.Running) || !t.Running[i] {
			b.buf = append(b.buf, c.Text...)
		}
		b.buf = append(b.buf, 0x1f)
	}
	for len(b.buf) > 0 && b.buf[len(b.buf)-1] == 0x1f { // however many empty cells follow
		b.buf = b.buf[:len(b.buf)-1]
	}
	full := sha256.Sum256(b.buf)
	return [16]byte(full[:16])
}

// addTrade makes a trade of a row that holds a position.
func (b *builder) addTrade(t *table.Table, r *sheet.Row) error {
	trade := &b.trade // one for all rows, because it is large
	*trade = record.Trade{Symbol: b.internSymbol(t.SymbolOf(r))}
	if trade.Symbol == "" {
		return t.RefuseCell(r, format.RoleSymbol, "the symbol is missing")
	}
	account, err := b.accountOf(t, r)
	if err != nil {
		return err
	}
	trade.AccountID = account
	if err := b.readLegs(t, r, trade); err != nil {
		return err
	}
	if trade.Volume, err = b.readVolume(t, r, trade.Side); err != nil {
		return err
	}
	if trade.StopLoss, err = b.readStop(t, r, format.RoleStop); err != nil {
		return err
	}
	if trade.TakeProfit, err = b.readStop(t, r, format.RoleTarget); err != nil {
		return err
	}
	if err := b.readMoney(t, r, trade); err != nil {
		return err
	}
	if trade.Open() {
		trade.ClosePrice, trade.Profit = "", ""
	}
	if t.Kind == format.Positions {
		b.totalsOf(t).net.Add(trade.Profit)
	}
	if b.inFuture(trade.OpenTime) || b.inFuture(trade.CloseTime) {
		b.rejectRow(InFuture, r.Line)
		return nil
	}
	var o origin
	trade.ID, o = b.identifyTrade(t, r)
	if b.pass != nil {
		return b.pass(trade)
	}
	t.Facts.Traded.AddTrade(trade)
	if !o.named && b.repeats.countRow(t, o.hash) {
		b.ids.addCopy()
		b.countSkipped(skipDuplicate, r.Line)
		return nil
	}
	b.countTrade(trade, o)
	return nil
}

// countTrade gives a trade its id and counts it.
func (b *builder) countTrade(t *record.Trade, o origin) {
	if !b.ids.assignID(t.AccountID, t.ID, t.CloseTime.UnixMicro(), o, !b.chosen.IsPaired()) {
		b.countSkipped(skipDuplicate, int(o.line))
		return
	}
	if !t.Open() && t.CloseTime.Before(t.OpenTime) {
		b.counts["close_before_open"]++
	}
	b.file.Accounts[b.accounts[t.AccountID]].Trades++
	b.kept++
	b.moves.add(t, int(o.line))
	b.volumes.add(t.Volume)
	b.addResult(t)
}

// maxSymbols bounds the symbols that are kept for all trades.
const maxSymbols = 10_000

// maxAccounts bounds the accounts of a file.
const maxAccounts = 1000

// internSymbol returns one string for all trades of a symbol.
func (b *builder) internSymbol(text string) string {
	if s, ok := b.symbols[text]; ok {
		return s
	}
	const longest = 64
	s := strings.Clone(words.Clean(text, longest))
	if len(b.symbols) < maxSymbols {
		b.symbols[strings.Clone(text)] = s
	}
	return s
}

// accountOf returns the login of the row's account and makes sure that the
// account's trades are of one currency.
func (b *builder) accountOf(t *table.Table, r *sheet.Row) (string, error) {
	if isRounded(t.CellOf(r, format.RoleAccount)) {
		return "", t.RefuseCell(r, format.RoleAccount, "a spreadsheet has rounded the account's number. Send the file as the platform exported it")
	}
	login := cmp.Or(table.ReadLogin(t.CellOf(r, format.RoleAccount).Text), t.Facts.Login, b.options.AccountLogin)
	currency := t.CellOf(r, format.RoleCurrency).Text
	if !words.IsCurrency(currency) {
		currency = cmp.Or(t.Currency, t.Format.Currency, t.Facts.Currency, b.options.Currency)
	}
	i, ok := b.accounts[login]
	if !ok && len(b.accounts) == maxAccounts {
		return "", refusal.New(refusal.FileTooLarge, "Line %d: a file can have trades of at most %d accounts.", r.Line, maxAccounts)
	}
	if !ok {
		login = strings.Clone(login)
		i = len(b.file.Accounts)
		b.accounts[login] = i
		b.file.Accounts = append(b.file.Accounts, Account{Login: login, Currency: strings.Clone(currency), Platform: platformOf(b.options, b.chosen.Format)})
	}
	switch a := &b.file.Accounts[i]; {
	case a.Currency == currency || currency == "":
		return a.Login, nil
	case a.Currency == "":
		a.Currency = strings.Clone(currency)
		return a.Login, nil
	}
	return "", refuseCurrencies(r.Line)
}

func refuseCurrencies(line int) *refusal.Error {
	return refusal.New(refusal.NotUnderstood, "Line %d: the trades of one account are in two currencies, which can't be added. Send one file for each currency, or convert the amounts to one.", line)
}

// readLegs reads side, times and prices of opening and closing.
func (b *builder) readLegs(t *table.Table, r *sheet.Row, trade *record.Trade) (err error) {
	if t.HasRole(format.RoleBuyTime) {
		return b.boughtAndSold(t, r, trade)
	}
	side, ok := t.ReadSide(r)
	if !ok {
		return t.RefuseCell(r, format.RoleSide, "the side is neither buy nor sell")
	}
	trade.Side = side
	if trade.OpenTime, err = b.readTime(t, r, format.RoleOpenTime); err != nil {
		return err
	}
	if trade.OpenTime.IsZero() && t.HasRole(format.RoleOpenTime) {
		return t.RefuseCell(r, format.RoleOpenTime, "the time of opening is missing")
	}
	opened, closed := t.PricesOf(side)
	if trade.OpenPrice, err = b.readNumber(t, r, opened); err != nil {
		return err
	}
	if t.HoldsOpen(r) {
		return nil
	}
	if trade.CloseTime, err = b.readTime(t, r, format.RoleCloseTime); err != nil {
		return err
	}
	if trade.CloseTime.Before(trade.OpenTime) && t.BorrowsDay(r) { // after midnight
		trade.CloseTime = trade.CloseTime.AddDate(0, 0, 1)
	}
	trade.ClosePrice, err = b.readNumber(t, r, closed)
	return err
}

// boughtAndSold reads exports that give the bought and the sold leg: the one
// that came first opened the position.
func (b *builder) boughtAndSold(t *table.Table, r *sheet.Row, trade *record.Trade) (err error) {
	trade.Side = record.Buy
	if trade.OpenTime, err = b.readTime(t, r, format.RoleBuyTime); err != nil {
		return err
	}
	if trade.CloseTime, err = b.readTime(t, r, format.RoleSellTime); err != nil {
		return err
	}
	if trade.OpenTime.IsZero() || trade.CloseTime.IsZero() {
		return t.RefuseCell(r, format.RoleBuyTime, "a time is missing")
	}
	if trade.OpenPrice, err = b.readNumber(t, r, format.RoleBuyPrice); err != nil {
		return err
	}
	if trade.ClosePrice, err = b.readNumber(t, r, format.RoleSellPrice); err != nil {
		return err
	}
	soldFirst := trade.CloseTime.Before(trade.OpenTime)
	if trade.CloseTime.Equal(trade.OpenTime) {
		soldFirst = earlierID(t.CellOf(r, format.RoleSellID).Text, t.CellOf(r, format.RoleBuyID).Text)
	}
	if soldFirst {
		trade.Side = record.Sell
		trade.OpenTime, trade.CloseTime = trade.CloseTime, trade.OpenTime
		trade.OpenPrice, trade.ClosePrice = trade.ClosePrice, trade.OpenPrice
	}
	return nil
}

// earlierID compares ids that are counted up.
func earlierID(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// readVolume reads lots: those that opened the position where the bought and the sold ones have a column each. A quantity with another unit is none; finishFile drops
// what is too large for lots.
func (b *builder) readVolume(t *table.Table, r *sheet.Row, side record.Side) (record.Decimal, error) {
	if !t.HasRole(format.RoleVolume) {
		return "", nil
	}
	column := t.Columns[format.RoleVolume][0]
	if t.Format.BothVolumes && side == record.Sell {
		column = t.Columns[format.RoleVolume][1]
	}
	d, unit, err := b.readDecimal(t, r, format.RoleVolume, column)
	if err != nil || d == "" {
		return "", err
	}
	if d[0] == '-' { // some exports sign what was sold
		if side == record.Buy {
			return "", t.RefuseCell(r, format.RoleVolume, "the volume is negative although the side is buy, so that either may be wrong")
		}
		d = d[1:]
	}
	switch {
	case strings.HasPrefix(unit, "lot"), unit == "", strings.HasPrefix(unit, "cont"):
		return d, nil
	case t.IsPaired() && unit == "k": // thousands of units
		return amount.MultiplyBy1000(d), nil
	case strings.HasPrefix(words.Fold(t.SymbolOf(r)), unit) && (t.IsPaired() || !words.IsCommonCurrency(strings.ToUpper(unit))): // 0.5 BTC of BTCUSDT
		return d, nil
	}
	b.counts["volume_in_units"]++
	return "", nil
}

// readMoney reads costs and the result, and makes the result net.
func (b *builder) readMoney(t *table.Table, r *sheet.Row, trade *record.Trade) (err error) {
	if trade.Commission, err = b.costsIn(t, r, format.RoleCommission, t.FlipsCommissions()); err != nil {
		return err
	}
	if trade.Swap, err = b.costsIn(t, r, format.RoleSwap, false); err != nil {
		return err
	}
	stated, err := b.readStated(t, r, format.RoleNet)
	if err != nil {
		return err
	}
	before, err := b.readStated(t, r, format.RoleGross)
	if err != nil {
		return err
	}
	profit, err := b.readStated(t, r, format.RoleProfit)
	if err != nil {
		return err
	}
	switch {
	case t.HasRole(format.RoleNet):
		trade.Profit = stated
		b.compareNet(before, trade)
	case t.HasRole(format.RoleGross):
		trade.Profit = withCosts(before, trade)
	case t.Profit == format.Net:
		trade.Profit = profit
	default:
		trade.Profit = withCosts(profit, trade)
	}
	if amount.IsNonzero(trade.Commission) || amount.IsNonzero(trade.Swap) {
		b.costs = true
	}
	return nil
}

func withCosts(result record.Decimal, trade *record.Trade) record.Decimal {
	if result == "" {
		return ""
	}
	return amount.Add(result, trade.Commission, trade.Swap)
}

// compareNet counts rows whose own gross, costs and net do not agree.
func (b *builder) compareNet(before record.Decimal, trade *record.Trade) {
	if before == "" || trade.Profit == "" || trade.Open() {
		return
	}
	var computed, stated amount.Sum
	computed.Add(withCosts(before, trade))
	stated.Add(trade.Profit)
	if !amount.IsNear(computed.ToRat(), stated.ToRat()) {
		b.counts["net_differs"]++
	}
}

// readStated reads a column of money and adds it to the table's sums.
func (b *builder) readStated(t *table.Table, r *sheet.Row, what format.Role) (record.Decimal, error) {
	d, err := b.readNumber(t, r, what)
	if err == nil && d != "" && t.Kind == format.Positions {
		b.totalsOf(t).addAmount(t.Columns[what][0], d)
	}
	return d, err
}

// costsIn adds up all columns of one role.
func (b *builder) costsIn(t *table.Table, r *sheet.Row, what format.Role, flip bool) (all record.Decimal, err error) {
	for _, i := range t.Columns[what] {
		d, _, err := b.readDecimal(t, r, what, i)
		if err != nil {
			return "", err
		}
		if d != "" && t.Kind == format.Positions {
			b.totalsOf(t).addAmount(i, d)
		}
		if all == "" {
			all = d
		} else {
			all = amount.Add(all, d)
		}
	}
	if flip {
		all = amount.Negate(all)
	}
	return all, nil
}
