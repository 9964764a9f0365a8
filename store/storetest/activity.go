package storetest

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/activity"
)

// tradeList are the trades of a file.
type tradeList []record.Trade

func (l tradeList) Len() int { return len(l) }

func (l tradeList) Each(_ context.Context, f func(*record.Trade) error) error {
	for i := range l {
		if err := f(&l[i]); err != nil {
			return err
		}
	}
	return nil
}

// ActivityFile returns a file of a trader with the given trades, or with one.
func ActivityFile(trader uuid.UUID, name, content string, trades ...record.Trade) activity.NewFile {
	if len(trades) == 0 {
		trades = []record.Trade{{ID: "1", AccountID: "7001", Symbol: "EURUSD", Side: record.Buy, OpenTime: time.Date(2026, 6, 1, 9, 30, 0, 0, time.UTC)}}
	}
	var accounts []activity.FileAccount
	number := make(map[string]int)
	for _, t := range trades {
		if _, ok := number[t.AccountID]; !ok {
			number[t.AccountID] = len(accounts)
			accounts = append(accounts, activity.FileAccount{Login: t.AccountID, Platform: "mt5", Currency: "USD", InitialBalance: "50000.5"})
		}
	}
	return activity.NewFile{
		TraderID: trader, Name: name, MediaType: "text/csv", SHA256: sha256.Sum256([]byte(content)), Bytes: int64(len(content)),
		Content: strings.NewReader(content), Options: []byte(`{"timezone":"UTC"}`), Reader: 1, Report: []byte(`{"format":"generic"}`),
		Accounts: accounts, Trades: tradeList(trades), Account: func(t *record.Trade) int { return number[t.AccountID] },
	}
}
