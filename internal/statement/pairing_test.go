package statement_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/format"
)

const (
	dealsHeader = "Time\tDeal\tSymbol\tType\tDirection\tVolume\tPrice\tOrder\tCommission\tFee\tSwap\tProfit\tBalance\tComment\n"
	fillsHeader = "Date and Time;Order ID;Symbol;Side;Filled Volume;Fill Price;Commission;P/L\n"
)

// deal writes a deal of a day: the hour is part of the time.
func deal(hour, id, side, entry, volume, price, order, commission, swap, profit string) string {
	return strings.Join([]string{"2026.01.13 " + hour + ":00", id, "EURUSD", side, entry, volume, price, order, commission, "0.00", swap, profit, "0.00", ""}, "\t") + "\n"
}

func fill(hour, id, side, volume, price, commission, profit string) string {
	return strings.Join([]string{"2026-01-13 " + hour + ":00", id, "EURUSD", side, volume, price, commission, profit}, ";") + "\n"
}

// Executions become positions, oldest first, with their share of the costs.
func TestPairing(t *testing.T) {
	t.Parallel()
	one := deal("10:00", "1", "buy", "in", "1.00", "1.1000", "11", "-3.00", "0.00", "0.00")
	two := deal("10:10", "2", "buy", "in", "1.00", "1.2000", "12", "-3.00", "0.00", "0.00")
	tests := []struct {
		name string
		text string
		want seen
	}{
		{"one to one", dealsHeader + one + deal("11:00", "3", "sell", "out", "1.00", "1.3", "13", "-3.00", "-1.00", "100.00"), seen{
			Trades: "11 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 93\n", Net: "93",
		}},
		{"in parts", dealsHeader + one + deal("11:00", "3", "sell", "out", "0.25", "1.3", "13", "-0.75", "0.00", "25.00") + deal("12:00", "4", "sell", "out", "0.50", "1.3", "14", "-1.50", "0.00", "50.00"), seen{
			Trades: "11-7ca587b6 buy 0.25 2026-01-13T10:00:00 2026-01-13T11:00:00 23.5\n" +
				"11-7a5d9c8c buy 0.5 2026-01-13T10:00:00 2026-01-13T12:00:00 47\n11 buy 0.25 2026-01-13T10:00:00  \n", Net: "70.5",
		}},
		{"two closed by one", dealsHeader + one + two + deal("11:00", "3", "sell", "out", "2.00", "1.3", "13", "-6.00", "0.00", "300.00"), seen{
			Trades: "11 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 144\n12 buy 1 2026-01-13T10:10:00 2026-01-13T11:00:00 144\n", Net: "288",
		}},
		{"turned around", dealsHeader + one + deal("11:00", "3", "sell", "in/out", "3.00", "1.3", "13", "-9.00", "0.00", "100.00") + deal("12:00", "4", "buy", "out", "2.00", "1.2", "14", "0.00", "0.00", "20.00"), seen{
			Trades: "11 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 94\n13 sell 2 2026-01-13T11:00:00 2026-01-13T12:00:00 14\n", Net: "108",
		}},
		{"shares of what cannot be divided, and the swap of what is closed", dealsHeader + one + two + deal("11:00", "3", "sell", "in/out", "3.00", "1.3", "13", "-10.00", "-1.00", "400.00") + deal("12:00", "4", "buy", "out", "1.00", "1.2", "14", "0.00", "0.00", "100.00"), seen{
			Trades: "11 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 193.16666667\n12 buy 1 2026-01-13T10:10:00 2026-01-13T11:00:00 193.16666666\n" +
				"13 sell 1 2026-01-13T11:00:00 2026-01-13T12:00:00 96.66666667\n", Net: "483",
		}},
		{"both sides at once", dealsHeader + one + deal("10:20", "3", "sell", "in", "1.00", "1.25", "13", "0.00", "0.00", "0.00") + deal("11:00", "4", "buy", "out", "1.00", "1.2", "14", "0.00", "0.00", "50.00"), seen{
			Trades: "13 sell 1 2026-01-13T10:20:00 2026-01-13T11:00:00 50\n11 buy 1 2026-01-13T10:00:00  \n", Net: "50",
		}},
		{"the latest first", dealsHeader + deal("11:00", "3", "sell", "out", "1.00", "1.3", "13", "-3.00", "0.00", "100.00") + one, seen{
			Trades: "11 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 94\n", Net: "94",
		}},
		{"the latest first, within one moment", dealsHeader + deal("11:00", "5", "buy", "in", "1.00", "1.4", "15", "0.00", "0.00", "0.00") + deal("10:00", "3", "sell", "out", "1.00", "1.3", "13", "-3.00", "0.00", "100.00") + one, seen{
			Trades: "11 buy 1 2026-01-13T10:00:00 2026-01-13T10:00:00 94\n15 buy 1 2026-01-13T11:00:00  \n", Net: "94",
		}},
		{"opened before the file begins", dealsHeader + deal("09:00", "3", "sell", "out", "1.00", "1.3", "13", "0.00", "0.00", "100.00") + one, seen{
			Trades: "11 buy 1 2026-01-13T10:00:00  \n", Warnings: "only_open_positions close_without_open",
		}},
		{"a result of what was opened before the file begins", fillsHeader + fill("09:00", "1", "SELL", "1", "1.2", "1.00", "100.00") + fill("10:00", "2", "BUY", "1", "1.1", "1.00", "") + fill("11:00", "3", "SELL", "1", "1.2", "1.00", "100.00"), seen{
			Trades: "2 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 98\n", Net: "98", Warnings: "costs_positive close_without_open",
		}},
		{"fills that close and open", fillsHeader + fill("10:00", "1", "BUY", "1", "1.1", "1.00", "") + fill("11:00", "2", "SELL", "3", "1.2", "3.00", "100.00") + fill("12:00", "3", "BUY", "2", "1.15", "2.00", "50.00"), seen{
			Trades: "1 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 98\n2 sell 2 2026-01-13T11:00:00 2026-01-13T12:00:00 46\n", Net: "144", Warnings: "costs_positive",
		}},
		{"openings at two prices, whose results the moves explain", fillsHeader + fill("09:00", "1", "BUY", "1", "1.1", "", "") + fill("09:10", "2", "SELL", "1", "1.2", "", "100.00") +
			fill("10:00", "3", "BUY", "1", "1.1", "", "") + fill("10:10", "4", "BUY", "1", "1.3", "", "") + fill("11:00", "5", "SELL", "2", "1.25", "", "100.00"), seen{
			Trades: "1 buy 1 2026-01-13T09:00:00 2026-01-13T09:10:00 100\n3 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 150\n4 buy 1 2026-01-13T10:10:00 2026-01-13T11:00:00 -50\n", Net: "200",
		}},
		{"openings at two prices, with costs in the result", fillsHeader + fill("09:00", "1", "SELL", "2", "1.2", "", "") + fill("09:10", "2", "BUY", "2", "1.1", "", "198.00") +
			fill("10:00", "3", "BUY", "3", "1.1", "", "") + fill("10:10", "4", "BUY", "1", "1.3", "", "") + fill("11:00", "5", "SELL", "4", "1.25", "", "396.00"), seen{
			Trades: "1 sell 2 2026-01-13T09:00:00 2026-01-13T09:10:00 198\n3 buy 3 2026-01-13T10:00:00 2026-01-13T11:00:00 445.5\n4 buy 1 2026-01-13T10:10:00 2026-01-13T11:00:00 -49.5\n", Net: "594",
		}},
		{"openings at two prices, which are all that is known of the symbol", fillsHeader + fill("10:00", "3", "BUY", "1", "1.1", "", "") + fill("10:10", "4", "BUY", "1", "1.3", "", "") + fill("11:00", "5", "SELL", "2", "1.25", "", "100.00"), seen{
			Trades: "3 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 150\n4 buy 1 2026-01-13T10:10:00 2026-01-13T11:00:00 -50\n", Net: "100",
		}},
		{"openings at two prices, of which one was closed in part", fillsHeader + fill("10:00", "3", "BUY", "2", "1.1", "", "") + fill("10:05", "4", "BUY", "1", "1.3", "", "") + fill("10:10", "5", "SELL", "1", "1.25", "", "83.34") + fill("11:00", "6", "SELL", "2", "1.25", "", "166.66"), seen{
			Trades: "3-2ed34a7a buy 1 2026-01-13T10:00:00 2026-01-13T10:10:00 83.34\n3-74c49cfc buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 83.33\n4 buy 1 2026-01-13T10:05:00 2026-01-13T11:00:00 83.33\n", Net: "250", Warnings: "shared_results",
		}},
		{"openings at two prices, whose results the moves do not explain", fillsHeader + fill("09:00", "1", "BUY", "1", "1.1", "", "") + fill("09:10", "2", "SELL", "1", "1.2", "", "100.00") +
			fill("10:00", "3", "BUY", "1", "1.1", "", "") + fill("10:10", "4", "BUY", "1", "1.3", "", "") + fill("11:00", "5", "SELL", "2", "1.25", "", "300.00"), seen{
			Trades: "1 buy 1 2026-01-13T09:00:00 2026-01-13T09:10:00 100\n3 buy 1 2026-01-13T10:00:00 2026-01-13T11:00:00 150\n4 buy 1 2026-01-13T10:10:00 2026-01-13T11:00:00 150\n", Net: "400", Warnings: "shared_results",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), statement.Options{})
			got := summary(f)
			var paired bool // by symbol
			if got.Warnings, paired = strings.CutPrefix(got.Warnings, "low_confidence"); !paired || f.Confidence != format.Low {
				t.Errorf("confidence %s, warned %t", f.Confidence, paired)
			}
			got.Warnings = strings.TrimSpace(got.Warnings)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
