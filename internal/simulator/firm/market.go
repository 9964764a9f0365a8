package firm

// instrument is a symbol with what turns a price difference into money.
// Prices are integers in points, the last digit that the broker quotes.
type instrument struct {
	symbol     string
	digits     int   // digits after the decimal point of a price
	base       int64 // price around which the path moves, in points
	daily      int64 // typical move in a day, in parts per million
	spread     int64 // points
	stop       int64 // typical distance of a stop loss, in points
	pointCents int64 // worth of one point for one lot, in hundredths of a US cent
	commission int64 // round turn for one lot, in cents
	swap       int64 // for a night and lot, in cents
}

// listInstruments returns the symbols that the world trades.
func listInstruments() []instrument {
	return []instrument{
		{"EURUSD", 5, 108_500, 4_500, 8, 220, 10_000, 700, -620},
		{"GBPUSD", 5, 126_800, 5_200, 11, 280, 10_000, 700, -480},
		{"USDJPY", 3, 151_300, 5_000, 9, 320, 6_600, 700, 910},
		{"XAUUSD", 2, 235_000, 8_500, 18, 620, 10_000, 700, -2_750},
		{"US30", 1, 391_500, 7_000, 22, 900, 1_000, 0, -510},
		{"NAS100", 1, 181_200, 10_500, 14, 650, 1_000, 0, -390},
		{"GER40", 1, 183_900, 8_000, 12, 520, 1_080, 0, -330},
		{"AUDUSD", 5, 65_900, 5_500, 9, 210, 10_000, 700, -240},
		{"USDCAD", 5, 136_400, 4_000, 12, 240, 7_300, 700, 160},
		{"GBPJPY", 3, 191_900, 6_500, 17, 480, 6_600, 700, 1_240},
		{"XAGUSD", 3, 27_850, 15_000, 22, 310, 50_000, 700, -1_120},
		{"BTCUSD", 2, 6_450_000, 24_000, 1_500, 55_000, 100, 0, -1_800},
	}
}

// pricePath is the octaves of the price: period, and amplitude as a share in
// 1/256 of the daily move. It grows with the root of the period, as a random
// walk's does.
var pricePath = [...]struct{ period, share int64 }{
	{16 * day, 1024},
	{4 * day, 512},
	{day, 256},
	{6 * hour, 128},
	{90 * minute, 64},
	{20 * minute, 30},
	{5 * minute, 15},
	{minute, 7},
}

// midPrice returns the mid price of an instrument at a moment, in points: a pure
// function, so that trades opened and closed at the same time agree on it.
func (w *World) midPrice(symbol int, at int64) int64 {
	in := &w.instruments[symbol]
	var ppm int64
	for i, octave := range pricePath {
		cell := at / octave.period
		key := uint64(cell)<<12 | uint64(symbol)<<4 | uint64(i)
		left := signedNoise(mixBits(w.priceSeed + key*0x9e3779b97f4a7c15))
		key = uint64(cell+1)<<12 | uint64(symbol)<<4 | uint64(i)
		right := signedNoise(mixBits(w.priceSeed + key*0x9e3779b97f4a7c15))
		part := (at % octave.period) * 1024 / octave.period
		value := left + (right-left)*part/1024
		ppm += value * in.daily * octave.share / (256 * 32768)
	}
	return in.base + in.base*ppm/1_000_000
}

// signedNoise turns a hash into a number in [-32768, 32767].
func signedNoise(hash uint64) int64 { return int64(int16(hash >> 48)) }

// quotePrice returns the price that an order is filled at: buyers pay the ask
// when they open and get the bid when they close, sellers the other way round.
func (w *World) quotePrice(symbol int, at int64, buying bool) int64 {
	price := w.midPrice(symbol, w.marketTime(at))
	if buying {
		return price + w.instruments[symbol].spread
	}
	return price
}

// grossCents is what a position of volume hundredths of a lot makes over a
// price difference in its favour, in cents of the account's currency.
func (w *World) grossCents(symbol int, points, volume int64, currency uint8) int64 {
	cents := points * volume * w.instruments[symbol].pointCents / (100 * 100)
	return cents * currencies[currency].perUSD / 1000
}

// currencies of accounts, with their rate against the US dollar in thousandths.
var currencies = [...]struct {
	code   string
	perUSD int64
}{{"USD", 1000}, {"EUR", 920}, {"GBP", 790}}
