package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// SeedTraders adds n traders of an integration to the directory, like a platform's: names, emails at few large and
// many small domains, ids in order. The first one is the newest. A million take about a minute.
func SeedTraders(tb testing.TB, databaseURL string, orgID, integrationID uuid.UUID, n int) {
	tb.Helper()
	conn := Conn(tb, databaseURL)
	indexes := Texts(tb, conn, `SELECT indexdef FROM pg_indexes WHERE indexname IN ('directory_filters_all', 'traders_directory', 'traders_email')`)
	statements := []string{
		`SET synchronous_commit = on`, `SET maintenance_work_mem = '512MB'`,
		`DROP INDEX directory_filters_all, traders_directory, traders_email`, // created again below, which is faster
		fmt.Sprintf(`INSERT INTO traders (id, organization_id, integration_id, source, external_id, first_name, last_name, full_name, email, country, phone,
    kyc_status, status, tags, registered_at, metadata, platform_updated_at, content_hash, created_at)
SELECT gen_random_uuid(), '%s', '%s', 'custom_api', 'T-' || lpad(n::text, 7, '0'), first, last, first || ' ' || last,
    lower(first || '.' || last) || n %% 1000 || '@' || CASE WHEN n %% 5 < 2 THEN 'mail.example' WHEN n %% 5 = 2 THEN 'post.example' ELSE 'firm' || n %% 997 || '.example' END,
    (ARRAY['DE', 'US', 'GB', 'FR', 'NO', 'NG', 'IN', 'BR'])[1 + hashint4(n) & 7], '+49' || n, (ARRAY['verified', 'pending', 'not_started', 'failed'])[1 + n / 3 %% 4],
    CASE WHEN n %% 2000 = 1 THEN 'archived' WHEN n %% 500 = 7 THEN 'under_review' ELSE 'active' END,
    CASE WHEN n %% 10 < 4 THEN '{vip}' WHEN n %% 1000 = 7 THEN '{rare}' ELSE '{}' END::text[],
    now(), '{"score": 12, "desk": "fx"}', now(), '\x0102030405060708090a0b0c0d0e0f10', now() - n * interval '10 ms'
FROM (
    SELECT n, (ARRAY['Anna','Bob','Carlos','Dmitri','Elena','Fatima','George','Hiro','Ines','Jamal','Kate','Liam','Maria','Noah','Olga','Pavel','Quinn','Rosa',
        'Sven','Tariq','Uma','Viktor','Wei','Xenia','Yusuf','Zoe'])[1 + (hashint4(n) & 1023) %% 26] AS first,
        initcap(translate(substr(md5((n %% 9973)::text), 1, 7), '0123456789', 'aeiouklmno')) AS last
    FROM generate_series(1, %d) AS n
) AS people`, orgID, integrationID, n),
		`TRUNCATE directory_arrivals`,
		`INSERT INTO directory_filters (organization_id, id, created_at, status, source, country_key, kyc_key, search, tags)
SELECT organization_id, id, created_at, status, source, country_key, kyc_key, search, tags FROM traders`,
		fmt.Sprintf(`UPDATE sync_state SET traders = traders + %d WHERE integration_id = '%s'`, n, integrationID),
	}
	for _, statement := range slices.Concat(statements, indexes, []string{`VACUUM ANALYZE traders`, `VACUUM ANALYZE directory_filters`}) {
		if _, err := conn.Exec(context.Background(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			tb.Fatalf("%.60s: %v", statement, err)
		}
	}
}
