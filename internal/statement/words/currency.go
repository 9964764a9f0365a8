package words

import "strings"

// IsCurrency reports whether s has the form of an ISO 4217 code.
func IsCurrency(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// IsCommonCurrency keeps words such as "PNL" from being taken for currencies.
func IsCommonCurrency(s string) bool {
	const currencies = "USD EUR GBP CHF JPY AUD CAD NZD CZK PLN HUF RON BGN SEK NOK DKK ISK SGD HKD CNY INR IDR MYR THB KRW VND PHP ZAR NGN KES TRY ILS AED SAR MXN BRL CLP COP ARS RUB UAH KZT"
	return IsCurrency(s) && strings.Contains(currencies, s)
}

// CurrencySigns are the signs of currencies next to amounts and names. Those of several currencies
// have no code.
var CurrencySigns = map[string]string{
	"€": "EUR", "£": "GBP", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "lei": "RON", "₹": "INR", "R$": "BRL", "US$": "USD", "A$": "AUD", "C$": "CAD", "NZ$": "NZD", "S$": "SGD", "HK$": "HKD",
	"$": "", "¥": "", "kr": "", "Fr": "",
}
