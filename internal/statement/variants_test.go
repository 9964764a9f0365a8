package statement_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/statement"
)

// Forms of an export that differ in their header alone are read alike.
func TestVariantsOfHeaders(t *testing.T) {
	t.Parallel()
	const metrix = "Ticket;Open;Type;Volume;Symbol;Price;SL;TP;Close;Price;"
	tests := []struct{ name, file, old, new, currency string }{
		{"MetriX, French", "ftmo_metrix.csv", metrix, "Ticket;Ouvert;Type;Volume;Symbole;Prix;SL;TP;Fermé;Prix;", ""},
		{"MetriX, German", "ftmo_metrix.csv", metrix, "Ticket;Geöffnet;Typ;Volumen;Symbol;Preis;SL;TP;Geschlossen;Preis;", ""},
		{"MetriX, Portuguese", "ftmo_metrix.csv", metrix, "Ticket;Abertura;Tipo;Volume;Símbolo;Preço;SL;TP;Fechamento;Preço;", ""},
		{"MetriX, Italian", "ftmo_metrix.csv", metrix, "Ticket;Aperto;Tipo;Volume;Simbolo;Prezzo;SL;TP;Chiuso;Prezzo;", ""},
		{"Myfxbook, without tags", "myfxbook.csv", "Tags,", "Labels,", ""},
		{"xStation, Polish", "xtb_xstation.csv", "Open time", "Czas otwarcia", ""},
		{"cTrader, with the currency's sign", "ctrader_history.csv", " USD", " €", "EUR"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := string(load(t, test.file))
			if !strings.Contains(text, test.old) {
				t.Fatalf("%q is not in %s", test.old, test.file)
			}
			want := mustRead(t, test.file, []byte(text), zoned("UTC"))
			got := mustRead(t, test.file, []byte(strings.ReplaceAll(text, test.old, test.new)), zoned("UTC"))
			if test.currency != "" {
				for i := range want.Accounts {
					want.Accounts[i].Currency = test.currency
				}
				for i := range want.Net {
					want.Net[i].Currency = test.currency
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A list of executions is no list of trades: the refusal says what to send.
func TestListOfExecutions(t *testing.T) {
	t.Parallel()
	_, err := read(t, "fills.csv", []byte("Date(UTC),Symbol,Side,Price,Quantity,Fee\n2026-06-10 09:31:22,BTCUSDT,BUY,65000.10,0.5,13\n"), statement.Options{})
	if err == nil || !strings.Contains(err.Error(), "Export the history of closed positions") {
		t.Errorf("got %v", err)
	}
}
