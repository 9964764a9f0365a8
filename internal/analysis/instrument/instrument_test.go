package instrument_test

import (
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/analysis/instrument"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ raw, want string }{
		{"EURUSD", "EURUSD"},
		{"eurusd", "EURUSD"},
		{" EURUSD ", "EURUSD"},
		{"EURUSDm", "EURUSD"},
		{"EURUSD.z", "EURUSD"},
		{"EURUSD.Z", "EURUSD"},
		{"US30.cash", "US30"},
		{"XAUUSD.pro", "XAUUSD"},
		{"GBPJPY#", "GBPJPY"},
		{"GER40_i", "GER40"},
		{"EUR/USD", "EURUSD"},
		{"EUR_USD", "EURUSD"},
		{"eur-usd", "EURUSD"},
		{"EURUSD+", "EURUSD"},
		{"EURUSD.a", "EURUSD"},
		{"EURUSDc", "EURUSD"},
		{"EURUSDpro", "EURUSD"},
		{"XAU/USD.r", "XAUUSD"},
		{"EURUSDT", "EURUSDT"},
		{"BTC-USDT", "BTC-USDT"},
		{"EURUSDX", "EURUSDX"},
		{"EUR/", "EUR/"},
		{"BRK.B", "BRK.B"},
		{"XPTM", "XPTM"},
		{"IBM", "IBM"},
		{"ibm", "IBM"},
		{"Am", "AM"},
		{"#", "#"},
		{".pro", ".PRO"},
		{"É.pro", "É"},
	} {
		if got := instrument.Key(tc.raw); got != tc.want {
			t.Errorf("Key(%q) = %q, want %q", tc.raw, got, tc.want)
		}
	}
}

func FuzzKey(f *testing.F) {
	for _, s := range []string{"EURUSDm", "US30.cash", "İ.pro", "\xff#", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		key := instrument.Key(raw)
		if strings.TrimSpace(raw) != "" && key == "" {
			t.Errorf("Key(%q) is empty", raw)
		}
	})
}

func TestContractMonths(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"MESH5": "MES", "MESM25": "MES", "MESU2025": "MES", "mesz5": "MES", "MES 03-25": "MES", "MES MAR25": "MES", "/ESH5:XCME": "ES", "@NQM25": "NQ",
		"MES1!": "MES", "6EZ4": "6E", "M2KH6": "M2K", "FDAX JUN 25": "FDAX JUN 25", "GCQ5.COMEX": "GC", "CLF26": "CL",
		"CM.MNQU6": "MNQ", "CME_MINI:ES1!": "ES", "OANDA:EURUSD": "EURUSD", "NASDAQ:AAPL": "AAPL",
		// What only looks like a contract month.
		"ESX50": "ESX50", "NETH25": "NETH25", "US30": "US30", "HK50": "HK50", "CN50": "CN50", "STOXX50": "STOXX50", "NAS100": "NAS100", "UK100": "UK100",
		"BTCUSD": "BTCUSD", "EURUSD.pro": "EURUSD", "GER40.cash": "GER40", "ES35": "ES35", "XAUUSDm": "XAUUSD", "A.B": "A.B", "": "",
	} {
		if got := instrument.Key(raw); got != want {
			t.Errorf("%s is grouped as %s, want %s", raw, got, want)
		}
		if got := instrument.Key(want); got != want {
			t.Errorf("%s is grouped as %s in turn", want, got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	own := instrument.NewNames(map[string]string{
		"MyDow.x": "US30", "ym": "US30", "NAS100": "TECH", "DAX40": "DAX40", "Bund": "FGBL", "SILVER": "XAG",
	})
	for raw, want := range map[string]string{
		"mydow.X": "US30", "DJ30": "US30", "WS30.cash": "US30", "US30m": "US30", "YMZ6": "US30", "YM": "US30",
		"NAS100": "TECH", "USTEC": "TECH", "US100.cash": "TECH", // known names follow
		"DAX40": "DAX40", "DAX40.pro": "DAX40", "GER40": "GER40", "DE40": "GER40", // apart from what is known
		"BUND": "FGBL", "FGBLH6": "FGBL", "Silver": "XAG", "XAGUSD": "XAGUSD", "GOLD": "XAUUSD", "EURUSD.pro": "EURUSD", "": "",
	} {
		if got := own.KeyOf(raw); got != want {
			t.Errorf("%s is grouped as %s, want %s", raw, got, want)
		}
		if got := own.KeyOf(want); got != want {
			t.Errorf("%s is grouped as %s in turn", want, got)
		}
	}
}

// What is known maps symbols to instruments that are written as symbols are grouped,
// and that stand for themselves.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"DJ30.cash", "USTECm", "YMZ6", "ger30", "\xff#", ""} {
		f.Add(s, "US30")
	}
	f.Fuzz(func(t *testing.T, raw, name string) {
		if name == "" || instrument.Key(name) != name {
			name = "US30"
		}
		for _, names := range []instrument.Names{instrument.NewNames(nil), instrument.NewNames(map[string]string{raw: name})} {
			key := names.KeyOf(raw)
			if again := names.KeyOf(key); again != key && instrument.Key(key) == key {
				t.Errorf("%q is grouped as %q, and that as %q", raw, key, again)
			}
		}
	})
}
