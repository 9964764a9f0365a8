-- +goose NO TRANSACTION
-- +goose Up

-- Who an account of a provider belongs to is asked in all organizations.
DROP INDEX CONCURRENTLY IF EXISTS people_external;
CREATE INDEX CONCURRENTLY people_external ON people (oidc_issuer, oidc_subject) WHERE disabled_at IS NULL AND oidc_subject IS NOT NULL;

-- A slash at the end of an issuer makes no other issuer. Where somebody has
-- linked both spellings in one organization the first of them stays as it is.
UPDATE people AS p SET oidc_issuer = rtrim(p.oidc_issuer, '/')
WHERE p.oidc_issuer LIKE '%/' AND NOT EXISTS (SELECT FROM people AS o WHERE o.organization_id = p.organization_id AND o.id <> p.id
    AND o.oidc_subject = p.oidc_subject AND rtrim(o.oidc_issuer, '/') = rtrim(p.oidc_issuer, '/') AND o.disabled_at IS NULL);

-- GET /v1/audit?actor_kind=…
DROP INDEX CONCURRENTLY IF EXISTS audit_log_actor_kind;
CREATE INDEX CONCURRENTLY audit_log_actor_kind ON audit_log (organization_id, actor_kind, number);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS audit_log_actor_kind;
DROP INDEX CONCURRENTLY IF EXISTS people_external;
