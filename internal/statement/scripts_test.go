package statement_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/statement/sheet"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/statement"
)

// Programs of MetaTrader write the numbers or the names of its constants, and rows of pending orders and payments.
func TestListsOfPrograms(t *testing.T) {
	t.Parallel()
	const (
		names = "Ticket;Symbol;Type;Lots;OpenTime;OpenPrice;CloseTime;ClosePrice;SL;TP;Profit;Swap;Commission;Magic;Comment\n"
		want  = "ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -0.7 | 19.3\nESH6 | sell | 1 | 2026-01-13 10:30:00 | 2026-01-13 10:31:00 | -0.7 | -10.7\n"
	)
	tests := []struct{ name, text, skipped string }{
		{
			"the numbers of MT4",
			names + "101;ESH6;0;2;2026.01.13 09:30;100;2026.01.13 09:31;105;0;0;20.00;0.00;-0.70;7;\n102;ESH6;1;1;2026.01.13 10:30;100;2026.01.13 10:31;105;0;0;-10.00;0.00;-0.70;7;\n103;ESH6;2;1;2026.01.13 11:30;90;2026.01.13 11:31;105;0;0;0.00;0.00;0.00;7;cancelled\n100;;6;0;2026.01.10 10:00;0;2026.01.10 10:00;0;0;0;1000.00;0.00;0.00;0;Deposit\n",
			"pending_order balance",
		},
		{
			"the names of MT4's constants",
			names + "101;ESH6;OP_BUY;2;2026.01.13 09:30;100;2026.01.13 09:31;105;0;0;20.00;0.00;-0.70;7;\n102;ESH6;OP_SELL;1;2026.01.13 10:30;100;2026.01.13 10:31;105;0;0;-10.00;0.00;-0.70;7;\n103;ESH6;OP_BUYLIMIT;1;2026.01.13 11:30;90;2026.01.13 11:31;105;0;0;0.00;0.00;0.00;7;\n",
			"pending_order",
		},
		{
			"the names of MT5's constants",
			"Ticket,Time,Type,Entry,Symbol,Volume,Price,Commission,Swap,Profit,PositionID\n10,2026.01.12 10:00:00,DEAL_TYPE_BALANCE,DEAL_ENTRY_IN,,0,0,0,0,1000,0\n11,2026.01.13 09:30:00,DEAL_TYPE_BUY,DEAL_ENTRY_IN,ESH6,2,100,-0.35,0,0,31\n12,2026.01.13 09:31:00,DEAL_TYPE_SELL,DEAL_ENTRY_OUT,ESH6,2,105,-0.35,0,20,31\n13,2026.01.13 10:30:00,DEAL_TYPE_SELL,DEAL_ENTRY_IN,ESH6,1,100,-0.35,0,0,32\n14,2026.01.13 10:31:00,DEAL_TYPE_BUY,DEAL_ENTRY_OUT_BY,ESH6,1,105,-0.35,0,-10,32\n",
			"balance",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), zoned("UTC"))
			if diff := cmp.Diff(want, lines(f)); diff != "" {
				t.Errorf("trades (-want +got):\n%s", diff)
			}
			var skipped []string
			for _, s := range f.Skipped {
				skipped = append(skipped, s.Reason)
			}
			if got := strings.Join(skipped, " "); got != test.skipped {
				t.Errorf("skipped %q, want %q", got, test.skipped)
			}
		})
	}
	executed := names + "103;ESH6;2;1;2026.01.13 11:30;90;2026.01.13 11:31;105;0;0;5.00;0.00;0.00;7;\n"
	if _, err := read(t, "a.csv", []byte(executed), statement.Options{}); err == nil {
		t.Error("a type that is no side was read though the row has a result")
	}
	others := "Symbol;Side;Qty;Open Time;Close Time;Profit\nESH6;1;1;2026.01.13 09:30;2026.01.13 09:31;5\nESH6;2;1;2026.01.13 09:30;2026.01.13 09:31;0\n"
	if _, err := read(t, "a.csv", []byte(others), statement.Options{}); err == nil {
		t.Error("the numbers of another platform were read as MT4's")
	}
}

// Seconds in the list of a program of MetaTrader are those of the server's clock.
func TestSecondsOfPrograms(t *testing.T) {
	t.Parallel()
	const text = "ticket,symbol,position_type,volume,time_open,price_open,time_close,price_close,profit\n31,ESH6,POSITION_TYPE_BUY,2,1768296600,100,1768296660,105,20\n"
	f := mustRead(t, "a.csv", []byte(text), statement.Options{Timezone: "Europe/Athens"})
	if got, want := f.Trades[0].OpenTime.Format(time.DateTime), "2026-01-13 07:30:00"; got != want || f.Trades[0].OpenPrice != "100" {
		t.Errorf("opened at %s for %s, want %s", got, f.Trades[0].OpenPrice, want)
	}
	f = mustRead(t, "a.csv", []byte(text), statement.Options{})
	if !slices.ContainsFunc(f.Warnings, func(w sheet.Warning) bool { return w.Code == "timezone_assumed" }) {
		t.Errorf("warnings %+v", f.Warnings)
	}
}

// What programs write for the end of a position that is open is no time.
func TestValuesThatAreMissing(t *testing.T) {
	t.Parallel()
	const text = "id,symbol,side,qty,entry_price,exit_price,entry_time,exit_time,pnl\n1,ESH6,LONG,2,100,105,2026-01-13T09:30:00,2026-01-13T09:31:00,10\n2,ESH6,LONG,2,100,nan,2026-01-13T09:32:00,NaT,nan\n"
	f := mustRead(t, "a.csv", []byte(text), zoned("UTC"))
	if diff := cmp.Diff("ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | 10\nESH6 | buy | 2 | 2026-01-13 09:32:00 | open |  | \n", lines(f)); diff != "" {
		t.Errorf("trades (-want +got):\n%s", diff)
	}
}

// A size and a quantity that differ do not say which of them is the volume.
func TestSizeBesideQuantity(t *testing.T) {
	t.Parallel()
	const text = "Symbol,Action,Entry Time,Entry Price,Exit Time,Exit Price,Size,Quantity,P&L\nEURUSD,Buy,\"Jan 13, 2026 9:30 AM\",1.08375,\"Jan 13, 2026 9:31 AM\",1.0881,20,40.0,8660.0\n"
	f := mustRead(t, "a.csv", []byte(text), zoned("UTC"))
	if f.Trades[0].Volume != "" || !slices.Contains(f.Lacks, "volume") || f.Trades[0].Profit != "8660" {
		t.Errorf("volume %s, profit %s, lacks %v", f.Trades[0].Volume, f.Trades[0].Profit, f.Lacks)
	}
}

// Lists of deals in Russian and Portuguese.
func TestDealsInFurtherLanguages(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{
			"QUIK, in Russian",
			"Дата и время;Код класса;Код бумаги;Номер сделки;Номер заявки;Операция;Цена;Количество\n13.01.2026 09:30:00;SPBFUT;SiH6;1001;2001;Купля;90000;2\n13.01.2026 09:31:00;SPBFUT;SiH6;1002;2002;Продажа;90100;2\n",
			"SiH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | \n",
		},
		{
			"MT5, in Portuguese",
			"Horário;Oferta;Ativo;Tipo;Direção;Volume;Preço;Ordem;Comissão;Taxa;Swap;Lucro;Saldo;Comentário\n2026.01.13 09:30:00;1;WINH26;buy;in;2;128000;11;0,00;0,00;0,00;0,00;10 000,00;\n2026.01.13 09:31:00;2;WINH26;sell;out;2;128100;12;0,00;0,00;0,00;40,00;10 040,00;\n",
			"WINH26 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | 0 | 40\n",
		},
		{
			"NinjaTrader's trades, in Spanish",
			"Número de operación;Instrumento;Cuenta;Estrategia;Pos. mercado;Ctd.;Precio de entrada;Precio de salida;Hora de entrada;Hora de salida;Nombre de entrada;Nombre de salida;Beneficio;MAE\n1;ESH6;A1;;Corto;1;105,00;100,00;13/01/2026 09:30:00;13/01/2026 09:31:00;Entry;Exit;20,00 $;10,00 $\n",
			"ESH6 | sell | 1 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | 20\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), zoned("UTC"))
			if diff := cmp.Diff(test.want, lines(f)); diff != "" {
				t.Errorf("trades (-want +got):\n%s", diff)
			}
		})
	}
}

// The list of deals in cTrader's statement has an id for each.
func TestDealsOfCTrader(t *testing.T) {
	t.Parallel()
	const text = "Deals\nDeal ID,Order ID,Symbol,Opening Direction,Closing Direction,Opening time (UTC+8),Closing Time (UTC+8),Entry price,Closing price,Closing Quantity,Commissions,Pips,Net USD,Channel,Balance USD\nDID31,35,JPM.US,Buy,Sell,20 Aug 2026 21:56:13.342,20 Aug 2026 21:57:53.488,356.21,354.88,13.8 Lots,-0.70,-13.3,-24.05,o,1 719.75\n"
	f := mustRead(t, "a.csv", []byte(text), statement.Options{})
	if len(f.Trades) != 1 || f.Trades[0].ID != "DID31" {
		t.Errorf("trades %+v", f.Trades)
	}
}
