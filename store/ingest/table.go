package ingest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/directory/column"
)

// table describes how records of one resource are stored in Postgres. The statements of the page
// writer are generated from it, so that each column is named only once.
type table[R any] struct {
	name     string
	resource record.Resource
	counter  string // the column of sync_state that counts the rows
	column.Set[R]
	// asHashed returns the record in the form that its hash covers, in a copy if that differs from
	// the form of its content. It is nil if the forms are the same for every record.
	asHashed func(*R) *R
	owned    bool // has its own id and organization_id
	sourced  bool // has a source column (traders)

	updatedAt func(*R) time.Time
	madeAt    func(*R) time.Time                  // the latest time at which the record was created on the platform; zero if unknown
	changedAt func(*R) time.Time                  // when it last changed; zero if unknown
	recordKey func(*R) string                     // in the form of record.Rejected.Key
	open      func(*R) bool                       // nil if the resource has no closed state
	period    func(*R) (opened, closed time.Time) // nil if open is nil
	secondID  func(*R) string                     // by which other records may name the row; nil if there is none
	traderID  func(*R) string                     // nil if the resource names no trader

	probeSQL, upsertSQL, fencedSQL, copySQL, loadFenceSQL, knownSQL string
}

// withStatements generates the table's statements.
func (t *table[R]) withStatements() *table[R] {
	t.probeSQL = t.probeStatement()
	t.upsertSQL = t.upsertStatement("", 0)
	t.fencedSQL = t.fencedStatement()
	t.loadFenceSQL = t.loadFenceStatement()
	t.copySQL = fmt.Sprintf("COPY %s (%s) FROM STDIN", t.name, strings.Join(t.copyColumns(), ", "))
	t.knownSQL = t.knownStatement()
	return t
}

// copyColumns lists the columns that the writer sets, in COPY's order. If a COPY is canceled, the
// server logs the first 100 bytes of the current row. A row that may contain a name therefore
// begins with three ids, which are longer.
func (t *table[R]) copyColumns() []string {
	names := []string{"integration_id"}
	if t.owned {
		names = append(names, "id", "organization_id")
	}
	names = append(names, column.ListNames(slices.Concat(t.Key, t.Beside, t.Content))...)
	names = append(names, "content_hash")
	if t.sourced {
		names = append(names, "source")
	}
	return names
}

// insertColumns lists the columns that the writer sets, in the upsert's order.
func (t *table[R]) insertColumns() []string {
	names := []string{"integration_id"}
	names = append(names, column.ListNames(slices.Concat(t.Key, t.Beside, t.Content))...)
	names = append(names, "content_hash")
	if t.owned {
		names = append(names, "id", "organization_id")
	}
	if t.sourced {
		names = append(names, "source")
	}
	return names
}

// probeStatement compares a page with the stored rows by key, hash and time. It returns the
// ordinals and classes (see class) of the records that are not identical. If there are none and $5
// is set, it commits the run state.
//
// The look-up is by equality with the key, and only the key's own index can serve it (see the
// indexes of the bulk tables). Otherwise a planner without statistics about the integration takes
// any index that begins with it, and each look-up reads all rows of the account, or of the
// integration. OFFSET 0 keeps it a look-up per record.
//
// The commit does not wait for the disk: if the server stops before its log is written, the run
// continues from an earlier page and rereads records that were unchanged. Writes of records wait
// for the disk, and so do claims, which issue the tokens.
//
//	$1 integration, $2 token, $3 run state, $4 lease, $5 commit when nothing differs,
//	$6 hashes, $7 updated_at, $8 before when a stored version must have been last changed, or written, for an older
//	one to count against it (null: at any time), [$9 open,] then one text[] per key column
//
// A version that was written so long ago counts whatever its updated_at says. It may be in the future, from an hour in
// which the platform's clock was wrong.
func (t *table[R]) probeStatement() string {
	next := 9
	open, stored, closedGuard, olderGuard, classes := "", "", "", "", ""
	if t.open != nil {
		open, next = "$9::boolean[], ", 10
		olderGuard = " AND NOT (s.closed AND u.open)"
		stored = ", t.close_time IS NOT NULL AS closed"
		closedGuard = ` OR (s.closed AND u.open AND (u.at IS NULL OR s.platform_updated_at IS NULL OR u.at = s.platform_updated_at))`
		classes = `
             WHEN s.closed AND u.open THEN 'r'
             WHEN NOT s.closed AND NOT u.open AND u.at = s.platform_updated_at AND NOT (` + sameSecond + `) THEN 'c'`
	}
	var arrays, names, match []string
	for i, k := range t.Key {
		arrays = append(arrays, fmt.Sprintf("$%d::text[]", next+i))
		names = append(names, fmt.Sprintf("k%d", i))
		match = append(match, fmt.Sprintf("t.%s = u.k%d", k.Name, i))
	}
	if t.open != nil {
		names = append([]string{"open"}, names...)
	}
	return fmt.Sprintf(`WITH u AS (
    SELECT * FROM unnest($6::bytea[], $7::timestamptz[], %[1]s%[2]s) WITH ORDINALITY AS u(hash, at, %[3]s, n)
), d AS (
    SELECT u.n, CASE
             WHEN s.content_hash IS NULL THEN 'i'
             WHEN s.missing AND s.content_hash = u.hash THEN 'm'
             WHEN u.at < s.platform_updated_at AND ($8::timestamptz IS NULL OR least(s.platform_updated_at, s.updated_at) < $8)%[9]s THEN 'o'
             WHEN u.at < s.platform_updated_at%[4]s THEN 's'%[5]s
             WHEN u.at = s.platform_updated_at AND NOT (%[10]s) THEN 'e'
             ELSE 'u' END AS class
    FROM u LEFT JOIN LATERAL (
        SELECT t.content_hash, t.platform_updated_at, t.updated_at, t.missing_since IS NOT NULL AS missing%[6]s FROM %[7]s t
        WHERE t.integration_id = $1 AND %[8]s OFFSET 0
    ) s ON true
    WHERE s.content_hash IS DISTINCT FROM u.hash OR s.missing
), w AS (
    UPDATE sync_state SET run = $3::jsonb, claimable_at = now() + $4::interval
    WHERE integration_id = $1 AND token = $2 AND $5 AND NOT EXISTS (SELECT 1 FROM d)
    RETURNING 1
)
SELECT coalesce(array_agg(d.n ORDER BY d.n), '{}')::bigint[], coalesce(string_agg(d.class, '' ORDER BY d.n), ''), (SELECT count(*) FROM w),
    set_config('synchronous_commit', 'off', true)
FROM d`, open, strings.Join(arrays, ", "), strings.Join(names, ", "), closedGuard, classes, stored, t.name, strings.Join(match, " AND "), olderGuard, sameSecond)
}

// sameSecond is true of a stored version that may have been read within the second of its
// updated_at, on a platform that keeps whole seconds: a change later in that second has the same
// updated_at, and breaks no rule. A few seconds are allowed for reading and writing the page.
const sameSecond = "u.at = date_trunc('second', u.at) AND s.updated_at < u.at + interval '5 seconds'"

// upsertStatement writes records that the probe found new or changed. The transaction already holds
// the fence.
//
//	$1 integration, [$2 organization, [$3 source,]] then one text[] literal per
//	key column, column beside, content column, the hashes and, for owned tables, the ids
//
// join is appended to the FROM clause, and the arguments after $1 are numbered from 2+shift on.
func (t *table[R]) upsertStatement(join string, shift int) string {
	next := 2 + shift
	var constants []string
	if t.owned {
		constants = append(constants, fmt.Sprintf("$%d::uuid", next))
		next++
	}
	if t.sourced {
		constants = append(constants, fmt.Sprintf("$%d::text", next))
		next++
	}
	var arrays, names, selected []string
	add := func(name, cast string) {
		arrays = append(arrays, fmt.Sprintf("$%d::text[]", next))
		names = append(names, name)
		selected = append(selected, fmt.Sprintf("u.%s::%s", name, cast))
		next++
	}
	for _, c := range slices.Concat(t.Key, t.Beside, t.Content) {
		add(c.Name, c.Cast)
	}
	add("content_hash", "bytea")
	if t.owned {
		add("id", "uuid")
	}
	sets := []string{"content_hash = EXCLUDED.content_hash", "updated_at = now()", "missing_since = NULL"}
	for _, c := range slices.Concat(t.Beside, t.Content) {
		sets = append(sets, fmt.Sprintf("%[1]s = EXCLUDED.%[1]s", c.Name))
	}
	return fmt.Sprintf(`INSERT INTO %s (%s)
SELECT $1::uuid, %s FROM unnest(%s) AS u(%s)%s
ON CONFLICT (integration_id, %s) DO UPDATE SET %s`,
		t.name, strings.Join(t.insertColumns(), ", "),
		strings.Join(append(selected, constants...), ", "), strings.Join(arrays, ", "), strings.Join(names, ", "), join,
		strings.Join(column.ListNames(t.Key), ", "), strings.Join(sets, ", "))
}

// fencedStatement is the upsert together with the fence, for a page that changes nothing else: one
// statement, one round trip. It returns whether the lease was held.
//
//	$1 integration, $2 token, $3 run state, $4 lease, $5 inserted rows, then as
//	the upsert's from $2 on
func (t *table[R]) fencedStatement() string {
	return fmt.Sprintf(`WITH fence AS (
    UPDATE sync_state SET run = $3::jsonb, claimable_at = now() + $4::interval, %[1]s = %[1]s + $5
    WHERE integration_id = $1 AND token = $2 RETURNING 1
), w AS (
%[2]s
)
SELECT EXISTS (SELECT FROM fence)`, t.counter, t.upsertStatement(" CROSS JOIN fence", 4))
}

// loadFenceStatement is the fence of a page that is written by COPY. It divides by zero if the
// lease is no longer held.
//
//	$1 run state, $2 lease in microseconds, $3 inserted rows, $4 integration, $5 token
func (t *table[R]) loadFenceStatement() string {
	return fmt.Sprintf(`WITH f AS (
    UPDATE sync_state SET run = $1::jsonb, claimable_at = now() + $2::bigint * interval '1 microsecond', %[1]s = %[1]s + $3::bigint
    WHERE integration_id = $4::uuid AND token = $5::bigint RETURNING 1
) SELECT 1 / count(*) FROM f`, t.counter)
}

// knownStatement returns whether one of the rows exists. Most platforms list in the order of ids,
// so that a single look-up between the page's ends usually decides.
//
//	$1 integration, $2 the page's ids
func (t *table[R]) knownStatement() string {
	if !t.owned {
		return ""
	}
	return fmt.Sprintf(`WITH page AS MATERIALIZED (SELECT min(k) AS low, max(k) AS high FROM unnest($2::text[]) AS k)
SELECT EXISTS (SELECT FROM page CROSS JOIN LATERAL (SELECT FROM %[1]s t WHERE t.integration_id = $1 AND t.external_id BETWEEN page.low AND page.high LIMIT 1) AS near)
    AND EXISTS (SELECT FROM unnest($2::text[]) AS u(k) CROSS JOIN LATERAL (SELECT FROM %[1]s t WHERE t.integration_id = $1 AND t.external_id = u.k OFFSET 0) AS known)`, t.name)
}
