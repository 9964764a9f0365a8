package words_test

import (
	"testing"

	"github.com/assayhq/assay/internal/statement/words"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"S / L": "sl", "Öffnen (Zeit)": "offnenzeit", "Čas otevření": "casotevreni", "Trade #": "trade#", "ＳＬ": "sl", "開倉 時間": "開倉時間", "%": "",
	} {
		if got := words.Fold(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// No text that was folded can equal a word that is not.
func TestEnglishIsFolded(t *testing.T) {
	t.Parallel()
	for word, english := range words.English {
		if words.Fold(word) != word || words.Fold(english) != english {
			t.Errorf("%q: %q is not folded", word, english)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		limit int
		want  string
	}{
		{"as it is", 20, "as it is"},
		{"  two\t lines\r\n ", 20, "two lines"},
		{"a\x00b\u202ec\u2028d\xff", 20, "abc d"},
		{"žluťoučký", 5, "žlu"},
		{"long text", 6, "long t"},
		{"long text", 5, "long"},
	} {
		if got := words.Clean(tt.text, tt.limit); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestCurrencies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{"USD": {true, true}, "PNL": {true, false}, "usd": {}, "USDT": {}} {
		if got := [2]bool{words.IsCurrency(text), words.IsCommonCurrency(text)}; got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// Names of columns are told by their words in many languages, and only if all of them are known.
func TestCompose(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"Eröffnungskurs": "openprice", "Date d’ouverture": "opendate", "Heure de clôture": "closetime", "Prezzo di chiusura": "closeprice", "Data apertura": "opendate",
		"Giá": "", "Winst/verlies": "profit", "Wynik netto": "netprofit", "Tipo de Operação": "tradetype", "Preço Unit.": "price", "Cena zamknięcia": "closeprice",
		"Комиссия ТС": "commission", "Overnight kosten": "swap", "Opening Avg. Price": "openprice", "Trade-Nummer": "tradenumber", "Positions-ID": "positionid",
		"Gewinn in Pips": "", "Prix du marché": "", "Open Reason": "", "Ausführungszeit": "exectime", "İşlem tarihi": "tradedate",
	}
	for name, want := range tests {
		if got := words.Compose(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
