package activity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Choice is an account whose trades are read.
type Choice struct {
	Account int // index in Scope.Accounts
	Same    int // index of the account to which it is equal, possibly itself
	// CoveredFrom and CoveredTo bound the open times of the trades that the account with index Same
	// has as well. They are nil if there are none.
	CoveredFrom, CoveredTo *time.Time
}

// Beyond describes the trades of the chosen accounts on one side of a read's window.
type Beyond struct {
	Trades      int       // each trade counts once, even if several files contain it
	First, Last time.Time // open times
	// Within is how many of them were closed within the window.
	Within int
}

// beyondQuery counts the trades on either side of the window $1 to $2. The accounts already
// distinguish the trades of one platform, which saves sorting a long history. Trades of files may
// be in several files. All rows meet the condition on updated_at, which lets the query use the
// index trades_opened. What is missing on the platform has an index of its own.
const beyondQuery = `WITH own AS (
    SELECT * FROM unnest($3::uuid[], $4::text[], $5::int[], $6::int[], $7::timestamptz[], $8::timestamptz[], $9::boolean[]) AS o(source, account, number, same, covered_from, covered_to, filed)
), found AS (
    SELECT x.* FROM own AS o CROSS JOIN LATERAL (
        SELECT t.open_time < $1 AS earlier, count(*) AS n, min(t.open_time) AS first, max(t.open_time) AS last,
            count(*) FILTER (WHERE t.close_time >= $1 AND t.close_time < $2) AS within FROM trades AS t
        WHERE t.integration_id = o.source AND t.account_external_id = o.account AND t.updated_at > '-infinity' AND (t.open_time < $1 OR t.open_time >= $2)
            AND t.id NOT IN (SELECT m.id FROM trades AS m WHERE m.integration_id = o.source AND m.account_external_id = o.account AND m.missing_since IS NOT NULL)
            AND (o.covered_from IS NULL OR o.covered_to IS NULL OR t.open_time < o.covered_from OR t.open_time > o.covered_to)
        GROUP BY 1) AS x WHERE NOT o.filed
    UNION ALL
    SELECT t.open_time < $1, count(DISTINCT (o.same, t.id)), min(t.open_time), max(t.open_time),
        count(DISTINCT (o.same, t.id)) FILTER (WHERE t.close_time >= $1 AND t.close_time < $2)
    FROM own AS o JOIN activity_trades AS t ON t.file_id = o.source AND t.account = o.number
    WHERE o.filed AND (t.open_time < $1 OR t.open_time >= $2)
        AND (o.covered_from IS NULL OR o.covered_to IS NULL OR t.open_time < o.covered_from OR t.open_time > o.covered_to)
    GROUP BY 1
) SELECT earlier, sum(n)::bigint, min(first), max(last), sum(within)::bigint FROM found GROUP BY 1`

// readBeyond returns the trades of the chosen accounts before and after the window, each nil if
// there are none.
func readBeyond(ctx context.Context, tx pgx.Tx, scope Scope, chosen []Choice, r Query) (before, after *Beyond, err error) {
	var (
		sources       []uuid.UUID
		accounts      []string
		numbers, same []int32
		from, to      []*time.Time
		filed         []bool
	)
	for _, c := range chosen {
		a := &scope.Accounts[c.Account]
		source := a.IntegrationID
		if a.FileID != uuid.Nil {
			source = a.FileID
		}
		sources, accounts, numbers = append(sources, source), append(accounts, a.ExternalID), append(numbers, int32(a.number))
		same, from, to, filed = append(same, int32(c.Same)), append(from, c.CoveredFrom), append(to, c.CoveredTo), append(filed, a.FileID != uuid.Nil)
	}
	rows, err := tx.Query(ctx, beyondQuery, r.From, r.To, sources, accounts, numbers, same, from, to, filed)
	if err != nil {
		return nil, nil, err
	}
	var (
		b       Beyond
		earlier bool
	)
	_, err = pgx.ForEachRow(rows, []any{&earlier, &b.Trades, &b.First, &b.Last, &b.Within}, func() error {
		side := b
		if earlier {
			before = &side
		} else {
			after = &side
		}
		return nil
	})
	return before, after, err
}
