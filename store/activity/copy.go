package activity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory/column"
)

// Sizes of single writes.
const (
	activityPiece = 256 << 10 // bytes of a file
	activityBatch = 10_000    // trades in one COPY, so that none runs into the statement timeout
)

// writeContents writes the data that belongs to a file's row: its bytes, its accounts and its
// trades. again reports whether the file was stored before.
func (n NewFile) writeContents(ctx context.Context, conn *pgx.Conn, orgID, id uuid.UUID, again bool) error {
	if again {
		if _, err := conn.Exec(ctx, `DELETE FROM activity_trades WHERE file_id = $1`, id); err != nil {
			return err
		}
	} else if err := n.writePieces(ctx, conn, id); err != nil {
		return err
	}
	if err := n.writeAccounts(ctx, conn, id); err != nil {
		return err
	}
	return n.copyTrades(ctx, conn, orgID, id)
}

func (n NewFile) writePieces(ctx context.Context, conn *pgx.Conn, id uuid.UUID) error {
	piece := make([]byte, activityPiece)
	written := int64(0)
	for number := 0; ; number++ {
		size, err := io.ReadFull(n.Content, piece)
		if size > 0 {
			if _, err := conn.Exec(ctx, `INSERT INTO activity_file_pieces (file_id, number, body) VALUES ($1, $2, $3)`, id, number, piece[:size]); err != nil {
				return err
			}
			written += int64(size)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			if written != n.Bytes {
				return fmt.Errorf("the file has %d bytes, not %d", written, n.Bytes)
			}
			return nil
		case err != nil:
			return fmt.Errorf("read the file again: %w", err)
		}
	}
}

// writeAccounts writes the accounts. An existing account keeps its id, because clients may have
// stored it.
func (n NewFile) writeAccounts(ctx context.Context, conn *pgx.Conn, id uuid.UUID) error {
	known := make(map[string]uuid.UUID)
	rows, err := conn.Query(ctx, `DELETE FROM activity_accounts WHERE file_id = $1 RETURNING login, id`, id)
	if err != nil {
		return err
	}
	var login string
	var account uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&login, &account}, func() error { known[login] = account; return nil }); err != nil {
		return err
	}
	for number, a := range n.Accounts {
		account, ok := known[a.Login]
		if !ok {
			account = store.NewID()
		}
		delete(known, a.Login)
		_, err := conn.Exec(ctx, `INSERT INTO activity_accounts (file_id, number, id, login, platform, currency, initial_balance)
VALUES ($1, $2, $3, $4, $5, $6, nullif($7, '')::numeric)`, id, number, account, a.Login, a.Platform, a.Currency, string(a.InitialBalance))
		if err != nil {
			return err
		}
	}
	return nil
}

// activityTradeColumns are the columns of a trade that its record has, without the platform's time
// of change, which trades of files lack.
func activityTradeColumns() []column.Column[record.Trade] {
	all := column.OfTrades().Content
	return all[:len(all)-1]
}

// copyTrades writes the trades in COPY's text format.
func (n NewFile) copyTrades(ctx context.Context, conn *pgx.Conn, orgID, id uuid.UUID) error {
	columns := activityTradeColumns()
	statement := `COPY activity_trades (organization_id, file_id, account, id, ` + strings.Join(column.ListNames(columns), ", ") + `) FROM STDIN`
	prefix := []byte(orgID.String() + "\t" + id.String() + "\t")
	var body []byte
	rows := 0
	write := func() error {
		_, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(body), statement)
		body, rows = body[:0], 0
		return err
	}
	err := n.Trades.Each(ctx, func(t *record.Trade) error {
		body = append(body, prefix...)
		body = strconv.AppendInt(body, int64(n.Account(t)), 10)
		body = append(body, '\t')
		at := len(body)
		body = column.EscapeCopy(append(body, t.ID...), at)
		for _, c := range columns {
			body = column.AppendCopyValue(append(body, '\t'), c, t)
		}
		body = append(body, '\n')
		if rows++; rows < activityBatch {
			return nil
		}
		return write()
	})
	if err != nil || rows == 0 {
		return err
	}
	return write()
}
