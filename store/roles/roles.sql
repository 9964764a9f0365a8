-- What the two processes may do with the database: rows and nothing else, and
-- of those only what each of them has to do with. `apiserver migrate`, which runs
-- as the owner of the tables, carries this out after each migration, where the
-- roles assay_apiserver and assay_syncd exist (docs/security.md, Database roles).
--
-- The first grant is wide, so that a table that is added works; what follows
-- takes away by name. Nobody may change the schema, truncate, add triggers or
-- references, or change a row of the audit log.
GRANT USAGE ON SCHEMA public TO assay_apiserver, assay_syncd;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM assay_apiserver, assay_syncd;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO assay_apiserver, assay_syncd;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO assay_apiserver, assay_syncd;

-- Which migrations there have been is the owner's business.
REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM assay_apiserver, assay_syncd;

-- The audit log is added to and read. Triggers refuse the rest to everybody; the
-- owner alone could switch them off.
REVOKE UPDATE, DELETE ON audit_log FROM assay_apiserver, assay_syncd;
REVOKE DELETE ON audit_chains FROM assay_apiserver, assay_syncd;

-- apiserver adds and changes no records of platforms, and makes nothing that is made
-- from recordings or in a report. It deletes them: people are erased, interviews deleted.
REVOKE INSERT, UPDATE ON accounts, trades, payouts, sync_audit_pages, sync_completeness, interview_media, interview_transcripts,
    interview_subtitles, interview_activities, interview_reports, webhook_attempts FROM assay_apiserver;
REVOKE DELETE ON webhook_attempts FROM assay_apiserver;
REVOKE INSERT ON sync_runs FROM assay_apiserver; -- a change of an integration ends its runs
REVOKE INSERT, UPDATE, DELETE ON housekeeping FROM assay_apiserver;
-- Reviewers correct transcripts.
GRANT UPDATE (transcript, version) ON interview_transcripts TO assay_apiserver;

-- syncd lets nobody in: it makes no person, key, session or link, and does not
-- see by what they are recognized.
REVOKE INSERT ON organizations, people, api_keys, sessions, interview_invites, interview_sessions, interview_shares, interview_consents,
    interview_decisions, integrations, webhook_endpoints, analysis_rulesets, idempotency_keys FROM assay_syncd;
REVOKE SELECT, UPDATE ON people, sessions, api_keys, interview_invites, interview_sessions, interview_shares FROM assay_syncd;
REVOKE UPDATE ON organizations, interview_consents, interview_decisions FROM assay_syncd;
REVOKE DELETE ON people, api_keys, organizations FROM assay_syncd;
-- It warns of keys that expire, and ends the links of interviews that are over.
GRANT UPDATE (expiring_told) ON api_keys TO assay_syncd;
GRANT UPDATE (revoked_at) ON interview_invites TO assay_syncd;
GRANT UPDATE (ended_at, ended_reason) ON interview_sessions TO assay_syncd;
DO $$
DECLARE
    hidden record;
BEGIN
    FOR hidden IN
        SELECT c.relname AS name, string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum) AS columns
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = 'public'::regnamespace
            AND c.relname IN ('people', 'sessions', 'api_keys', 'interview_invites', 'interview_sessions', 'interview_shares')
            AND a.attname NOT IN ('password_hash', 'secret_hash', 'token_hash', 'invite_hash', 'device_hash')
        GROUP BY c.relname
    LOOP
        EXECUTE format('GRANT SELECT (%s) ON %I TO assay_syncd', hidden.columns, hidden.name);
    END LOOP;
END $$;
