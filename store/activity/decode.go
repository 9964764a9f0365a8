package activity

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/assayhq/assay/connectors/record"
)

// Formats of a result's columns in Postgres' protocol.
const (
	textForm   int16 = 0
	binaryForm int16 = 1
)

// tradeFormats are the formats of tradeValues: text, except for the two times.
var tradeFormats = []int16{
	textForm, textForm, textForm, binaryForm, binaryForm,
	textForm, textForm, textForm, textForm, textForm, textForm, textForm, textForm,
}

// postgresEpoch is 2000-01-01 in microseconds of the Unix epoch, from which binary times count.
const postgresEpoch = 946_684_800_000_000

// tradeOf decodes a row of tradeValues. The values belong to the connection and are invalid after
// the next row.
func tradeOf(values [][]byte) (t record.Trade, err error) {
	t.ID = string(values[0])
	t.Symbol = string(values[1])
	t.Side = sideOf(values[2])
	if t.OpenTime, err = timeOf(values[3]); err != nil {
		return t, err
	}
	if t.CloseTime, err = timeOf(values[4]); err != nil {
		return t, err
	}
	for i, to := range [...]*record.Decimal{&t.Volume, &t.OpenPrice, &t.ClosePrice, &t.StopLoss, &t.TakeProfit, &t.Commission, &t.Swap, &t.Profit} {
		*to = record.Decimal(values[5+i]) // null becomes empty
	}
	return t, nil
}

// sideOf avoids allocating a string for most trades.
func sideOf(text []byte) record.Side {
	switch string(text) {
	case string(record.Buy):
		return record.Buy
	case string(record.Sell):
		return record.Sell
	}
	return record.Side(text)
}

// timeOf decodes a timestamptz in binary format. Null is the zero time.
func timeOf(value []byte) (time.Time, error) {
	switch len(value) {
	case 0:
		return time.Time{}, nil
	case 8:
		return time.UnixMicro(int64(binary.BigEndian.Uint64(value)) + postgresEpoch).UTC(), nil
	}
	return time.Time{}, fmt.Errorf("a time of %d bytes", len(value))
}
