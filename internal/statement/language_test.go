package statement_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/statement"
)

// Tables of unknown platforms are read by the names of their columns in German, too.
func TestGermanColumns(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"Symbol;Richtung;Menge;Eröffnungszeit;Eröffnungskurs;Schließzeit;Schließkurs;Gewinn",
		"Symbol;Richtung;Menge;Einstiegszeit;Einstiegspreis;Ausstiegszeit;Ausstiegspreis;Nettogewinn",
	} {
		row := "\nEURUSD;Kauf;1,5;05.01.2026 10:00;1,0850;25.01.2026 11:00;1,0860;1.234,56\n"
		if got := mustRead(t, "trades.csv", []byte(header+row), statement.Options{}).Trades; len(got) != 1 || got[0].OpenPrice != "1.085" || got[0].ClosePrice != "1.086" || got[0].Profit != "1234.56" || !got[0].CloseTime.Equal(time.Date(2026, 1, 25, 11, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: %+v", header, got)
		}
	}
}

// An MT5 report is the same in every language of the terminal.
func TestLanguages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		positions string
		open      string
		titles    []string // Positions, Orders, Open Positions, Results, Total Net Profit
	}{
		{
			"german", "Zeit,Position,Symbol,Typ,Volumen,Preis,S / L,T / P,Zeit,Preis,Kommission,Swap,Gewinn",
			"Zeit,Position,Symbol,Typ,Volumen,Preis,S / L,T / P,Marktpreis,Swap,Gewinn",
			[]string{"Positionen", "Aufträge", "Offene Positionen", "Ergebnisse", "Nettogewinn gesamt:"},
		},
		{
			"spanish", "Fecha/Hora,Posición,Símbolo,Tipo,Volumen,Precio,S / L,T / P,Fecha/Hora,Precio,Comisión,Swap,Beneficio",
			"Fecha/Hora,Posición,Símbolo,Tipo,Volumen,Precio,S / L,T / P,Precio de mercado,Swap,Beneficio",
			[]string{"Posiciones", "Órdenes", "Posiciones abiertas", "Resultados", "Beneficio Neto Total:"},
		},
		{
			"french", "Heure,Position,Symbole,Type,Volume,Prix,S / L,T / P,Heure,Prix,Commission,Echange,Profit",
			"Heure,Position,Symbole,Type,Volume,Prix,S / L,T / P,Prix du marché,Echange,Profit",
			[]string{"Positions", "Ordres", "Positions ouvertes", "Résultats", "Bénéfice net total:"},
		},
		{
			"italian", "Ora,Posizione,Simbolo,Tipo,Volume,Prezzo,S / L,T / P,Ora,Prezzo,Commissione,Swap,Profitto",
			"Ora,Posizione,Simbolo,Tipo,Volume,Prezzo,S / L,T / P,Prezzo di mercato,Swap,Profitto",
			[]string{"Posizioni", "Ordini", "Posizioni aperte", "Risultati", "Profitto netto totale:"},
		},
		{
			"russian", "Время,Позиция,Символ,Тип,Объем,Цена,S / L,T / P,Время,Цена,Комиссия,Своп,Прибыль",
			"Время,Позиция,Символ,Тип,Объем,Цена,S / L,T / P,Рыночная цена,Своп,Прибыль",
			[]string{"Позиции", "Ордера", "Открытые позиции", "Результаты", "Чистая прибыль:"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := strings.NewReplacer(
				"Time,Position,Symbol,Type,Volume,Price,S / L,T / P,Time,Price,Commission,Swap,Profit", test.positions,
				"Time,Position,Symbol,Type,Volume,Price,S / L,T / P,Market Price,Swap,Profit", test.open,
				"\nPositions,", "\n"+test.titles[0]+",", "\nOrders,", "\n"+test.titles[1]+",", "\nOpen Positions,", "\n"+test.titles[2]+",",
				"\nResults,", "\n"+test.titles[3]+",", "Total Net Profit:", test.titles[4],
			).Replace(string(load(t, "mt5_report.csv")))
			for _, s := range sources() {
				if s.name == "mt5_report.csv" {
					s.check(t, mustRead(t, s.name, []byte(text), s.options))
				}
			}
		})
	}
}
