-- +goose Up
SET LOCAL lock_timeout = '2s';

-- The head of each organization's chain of audit rows. Whoever appends locks it,
-- so that numbers have no gaps and each row follows exactly one other.
CREATE TABLE audit_chains (
    organization_id uuid PRIMARY KEY REFERENCES organizations (id),
    number          bigint NOT NULL DEFAULT 0, -- of the newest row; 0: there is none
    hash            bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex') -- of the newest row
) WITH (fillfactor = 50);

-- What was done, by whom. Every column is part of the hash, in the form that
-- encoding names: before and after are kept as the text that was hashed, which
-- jsonb would not do.
CREATE TABLE audit_log (
    organization_id uuid NOT NULL REFERENCES audit_chains (organization_id),
    number          bigint NOT NULL,   -- from 1, without gaps
    encoding        smallint NOT NULL, -- how the columns were put together for the hash
    at              timestamptz NOT NULL,
    actor_kind      text NOT NULL,     -- api_key, person, system
    actor_id        uuid,              -- null: the system has none
    actor_name      text NOT NULL,
    action          text NOT NULL,
    object_kind     text NOT NULL,
    object_id       uuid,
    request_id      text,              -- null: no request asked for it
    client_address  text,              -- null: not known
    before          json,              -- members as they were; null: there were none
    after           json,              -- members as they are; null: there are none
    previous        bytea NOT NULL,    -- hash of the row before; zeros: this is the first
    hash            bytea NOT NULL,    -- SHA-256
    PRIMARY KEY (organization_id, number)
);
CREATE INDEX audit_log_at ON audit_log (organization_id, at);
CREATE INDEX audit_log_action ON audit_log (organization_id, object_kind, action, number); -- an action is of one kind of object
CREATE INDEX audit_log_actor ON audit_log (organization_id, actor_id, number) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_log_object ON audit_log (organization_id, object_id, number) WHERE object_id IS NOT NULL;

-- Every organization has a chain from its first moment on, whoever makes it.
-- +goose StatementBegin
CREATE FUNCTION begin_audit_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_chains (organization_id) VALUES (NEW.id);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER begin_audit_chain AFTER INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION begin_audit_chain();
-- Behind the trigger, which has waited for those that were being made.
INSERT INTO audit_chains (organization_id) SELECT id FROM organizations;

-- +goose StatementBegin
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: the audit log is only ever added to', TG_OP, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE FUNCTION advance_audit_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.organization_id <> OLD.organization_id OR NEW.number <= OLD.number THEN
        RAISE EXCEPTION 'the head of an audit chain only ever moves on' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- They hold for the tables' owner too, and also where triggers are otherwise
-- left out (session_replication_role). Who owns the tables or is a superuser can
-- still switch them off: that is what the hashes are for.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON audit_chains FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER advance BEFORE UPDATE ON audit_chains FOR EACH ROW EXECUTE FUNCTION advance_audit_chain();
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE audit_chains ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE audit_chains ENABLE ALWAYS TRIGGER advance;

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TRIGGER begin_audit_chain ON organizations;
DROP TABLE audit_log, audit_chains;
DROP FUNCTION begin_audit_chain(), refuse_audit_change(), advance_audit_chain();
