-- +goose Up
SET LOCAL lock_timeout = '2s';

-- What traders are told about the firm, and what may leave the machine. Null: the
-- configuration's.
ALTER TABLE organizations
    ADD COLUMN contact         text,
    ADD COLUMN lawful_basis    text,
    ADD COLUMN off_box_speech  boolean NOT NULL DEFAULT false, -- recordings may go to the configured speech server
    ADD COLUMN off_box_prose   boolean NOT NULL DEFAULT false, -- transcripts may go to the configured chat server
    ADD COLUMN settings_at     timestamptz;                    -- when these were changed; null: never

-- A trader that an interview brought and nobody has touched since goes with the
-- last of his interviews.
ALTER TABLE traders ADD COLUMN interview_only boolean NOT NULL DEFAULT false;

-- Who was erased, by a hash under the organization's key: no platform brings them
-- back.
CREATE TABLE suppression_keys (
    organization_id uuid PRIMARY KEY REFERENCES organizations (id),
    key             bytea NOT NULL -- sealed
);
CREATE TABLE suppressions (
    integration_id  uuid NOT NULL,
    hash            bytea NOT NULL,
    organization_id uuid NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (integration_id, hash)
);

-- status is the one lifecycle; decision, report, subtitles, share, communication
-- and assignment are axes of their own. trader_id has no foreign key: traders
-- become one, and the interviews move over.
CREATE TABLE interviews (
    id                 uuid PRIMARY KEY,
    organization_id    uuid NOT NULL REFERENCES organizations (id),
    trader_id          uuid NOT NULL,
    reference          text,
    reason             text NOT NULL CHECK (reason IN ('payout_review', 'phase_upgrade', 'rule_breach', 'random_check', 'other')),
    status             text NOT NULL DEFAULT 'invited'
        CHECK (status IN ('invited', 'declined', 'in_progress', 'expired', 'incomplete', 'processing', 'completed', 'failed')),
    partial            boolean NOT NULL DEFAULT false,
    language           text NOT NULL,
    answer_modes       text[] NOT NULL,
    auto_questions     smallint NOT NULL,
    prepared           jsonb,                -- questions made from the trader's data; null: none yet. Frozen at the start
    activity           jsonb NOT NULL,
    integrity          jsonb NOT NULL,
    metadata           jsonb,
    retention_days     integer NOT NULL CHECK (retention_days BETWEEN 7 AND 1095),
    retake_of_id       uuid,
    created_by         text NOT NULL,
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),

    window_hours       integer NOT NULL CHECK (window_hours BETWEEN 1 AND 720),
    invite_expires_at  timestamptz NOT NULL,
    opened_at          timestamptz,
    reissue_count      integer NOT NULL DEFAULT 0,
    last_reissued_at   timestamptz,
    accommodation_at   timestamptz,          -- the trader asked for another way to answer
    accommodation_note text,

    started_at         timestamptz,
    complete_by        timestamptz,
    submitted_at       timestamptz,
    completed_at       timestamptz,
    ended_at           timestamptz,          -- declined, expired, incomplete or submitted; retention counts from here, or from the creation

    report_version     integer NOT NULL DEFAULT 0, -- of the newest report; 0: none
    attention_level    text CHECK (attention_level IN ('none', 'low', 'medium', 'high', 'insufficient_data')),
    review_priority    smallint,
    high_findings      integer NOT NULL DEFAULT 0,
    finding_kinds      text[] NOT NULL DEFAULT '{}',

    decision           text CHECK (decision IN ('approved', 'rejected', 'needs_review')),
    decided_at         timestamptz,
    assignee_id        uuid,
    communicated_at    timestamptz,
    communicated_by    text,
    hold_at            timestamptz,          -- legal hold; null: none
    hold_by            text,
    hold_reason        text,
    media_purge_at     timestamptz,          -- when media goes; null: none, or gone
    record_purge_at    timestamptz,          -- when transcript, report and events go; null: gone
    purged_at          timestamptz           -- when the record went
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX interviews_reference ON interviews (organization_id, reference);
CREATE INDEX interviews_organization ON interviews (organization_id, created_at DESC, id DESC);
CREATE INDEX interviews_trader ON interviews (trader_id, created_at DESC, id DESC);
CREATE INDEX interviews_retakes ON interviews (retake_of_id) WHERE retake_of_id IS NOT NULL;
CREATE INDEX interviews_assignee ON interviews (organization_id, assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX interviews_expiring ON interviews (invite_expires_at) WHERE status = 'invited';
CREATE INDEX interviews_due ON interviews (complete_by) WHERE status = 'in_progress';
CREATE INDEX interviews_media_purge ON interviews (media_purge_at) WHERE media_purge_at IS NOT NULL AND hold_at IS NULL;
CREATE INDEX interviews_record_purge ON interviews (record_purge_at) WHERE record_purge_at IS NOT NULL AND hold_at IS NULL;

-- Frozen with the interview; those from the trader's data are added at the start.
CREATE TABLE interview_questions (
    id            uuid PRIMARY KEY,
    interview_id  uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    index         smallint NOT NULL,
    prompt        text NOT NULL,
    topic         text NOT NULL,
    think_seconds integer NOT NULL,
    max_seconds   integer NOT NULL,
    max_takes     smallint NOT NULL,
    required      boolean NOT NULL,
    source        text NOT NULL CHECK (source IN ('template', 'custom', 'auto')),
    finding_kind  text,
    served_at     timestamptz, -- first shown to the trader
    UNIQUE (interview_id, index)
);

-- Links that were sent. A dead one stays known, so that its page can say whom to ask.
CREATE TABLE interview_invites (
    token_hash   bytea PRIMARY KEY, -- SHA-256 of the token
    interview_id uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL,
    revoked_at   timestamptz
);
CREATE INDEX interview_invites_interview ON interview_invites (interview_id);

-- The trader's browsers. One is live at a time.
CREATE TABLE interview_sessions (
    id            uuid PRIMARY KEY,
    interview_id  uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    token_hash    bytea NOT NULL,
    invite_hash   bytea NOT NULL,
    device_hash   bytea,        -- tells one browser from another; null: not known
    ip_prefix     text,         -- /24 or /48
    country       text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    used_at       timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL,
    ended_at      timestamptz,
    ended_reason  text
);
CREATE UNIQUE INDEX interview_sessions_token ON interview_sessions (token_hash);
CREATE UNIQUE INDEX interview_sessions_live ON interview_sessions (interview_id) WHERE ended_at IS NULL;
CREATE INDEX interview_sessions_interview ON interview_sessions (interview_id);

-- What the trader agreed to, or declined, word for word.
CREATE TABLE interview_consents (
    interview_id uuid PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    accepted     boolean NOT NULL,
    text_version text NOT NULL,
    text         text NOT NULL,
    sha256       bytea NOT NULL,
    decided_at   timestamptz NOT NULL DEFAULT now()
);

-- The newest check of the trader's device.
CREATE TABLE interview_devices (
    interview_id uuid PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    outcome      text NOT NULL CHECK (outcome IN ('ok', 'overridden', 'failed')),
    browser      text,
    os           text,
    camera       text,
    microphone   text,
    screen       text,
    result       jsonb,
    checked_at   timestamptz NOT NULL DEFAULT now()
);

-- One row for each take. What is uploaded lies in parts, one blob for each.
CREATE TABLE interview_takes (
    id           uuid PRIMARY KEY,
    interview_id uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    question_id  uuid NOT NULL REFERENCES interview_questions (id) ON DELETE CASCADE,
    take         smallint NOT NULL,
    mode         text NOT NULL CHECK (mode IN ('video', 'audio', 'text')),
    status       text NOT NULL DEFAULT 'recording' CHECK (status IN ('recording', 'sealed', 'aborted')),
    counts       boolean NOT NULL DEFAULT true, -- uses one of the question's takes up
    media_type   text,
    received     bigint NOT NULL DEFAULT 0,     -- bytes
    length       bigint,                        -- declared; null: not yet
    sha256       bytea,                         -- as the browser told it
    text         text,                          -- of a written answer
    duration_ms  integer,
    start_ms     integer,                       -- on the timeline of the whole interview; null until media is made
    end_ms       integer,
    recorded_at  timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    sealed_at    timestamptz,
    UNIQUE (question_id, take)
);
CREATE INDEX interview_takes_interview ON interview_takes (interview_id);
CREATE INDEX interview_takes_unsealed ON interview_takes (updated_at) WHERE status <> 'sealed';

CREATE TABLE interview_take_parts (
    take_id     uuid NOT NULL REFERENCES interview_takes (id) ON DELETE CASCADE,
    part_offset bigint NOT NULL,
    bytes       bigint NOT NULL CHECK (bytes > 0),
    blob        text NOT NULL, -- key
    PRIMARY KEY (take_id, part_offset)
);

-- Integrity events. session_id is null for the server's own.
CREATE TABLE interview_events (
    id           uuid PRIMARY KEY,
    interview_id uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    session_id   uuid,
    client_id    uuid NOT NULL,
    seq          bigint,
    kind         text NOT NULL,
    severity     text NOT NULL CHECK (severity IN ('info', 'low', 'medium', 'high')),
    question_id  uuid,
    at_ms        bigint,       -- since the session began, on the browser's clock
    wall_at      timestamptz,  -- the browser's
    received_at  timestamptz NOT NULL DEFAULT now(),
    skew_ms      bigint,
    duration_ms  bigint,
    data         jsonb
);
CREATE UNIQUE INDEX interview_events_once ON interview_events (session_id, client_id);
CREATE INDEX interview_events_interview ON interview_events (interview_id, received_at, id);

-- The pipeline. token is that of the job in force, run fences the worker that has
-- it in hand.
CREATE TABLE interview_steps (
    interview_id  uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    step          text NOT NULL CHECK (step IN ('prepare', 'media', 'transcript', 'subtitles', 'activity', 'report')),
    status        text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'queued', 'running', 'done', 'failed', 'skipped')),
    requested     boolean NOT NULL DEFAULT false, -- somebody asked for it while it could not begin, or was under way
    job_id        uuid,                           -- told to whoever asks for it, until it has ended
    attempts      integer NOT NULL DEFAULT 0,
    last_error    text,
    token         bigint NOT NULL DEFAULT 0,
    run           bigint NOT NULL DEFAULT 0,
    job_at        timestamptz,                    -- when the job is due; null: there is none
    leased_until  timestamptz,
    started_at    timestamptz,
    finished_at   timestamptz,
    PRIMARY KEY (interview_id, step)
) WITH (fillfactor = 70);
CREATE INDEX interview_steps_leased ON interview_steps (leased_until) WHERE status = 'running';
CREATE INDEX interview_steps_queued ON interview_steps (job_at) WHERE status = 'queued';

-- What is played. A higher version takes the place of the one before.
CREATE TABLE interview_media (
    interview_id uuid PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    version      integer NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('video', 'audio')),
    duration_ms  integer NOT NULL,
    width        integer,
    height       integer,
    bytes        bigint NOT NULL,
    playlist     text NOT NULL, -- file below the version's prefix
    poster       text,
    details      jsonb,
    created_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE interview_transcripts (
    interview_id uuid PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    version      integer NOT NULL,
    engine       text NOT NULL,
    quality      text NOT NULL,
    transcript   json NOT NULL,
    generated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE interview_subtitles (
    interview_id uuid PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    vtt          text NOT NULL,
    generated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE interview_activities (
    interview_id uuid PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    activity     json NOT NULL,
    generated_at timestamptz NOT NULL DEFAULT now()
);

-- The file of trades that was uploaded for the interview: that of its trader with
-- these bytes.
CREATE TABLE interview_files (
    interview_id uuid PRIMARY KEY REFERENCES interviews (id) ON DELETE CASCADE,
    sha256       bytea NOT NULL,
    owned        boolean NOT NULL, -- it came with the interview, and goes with it
    uploaded_by  text NOT NULL,
    uploaded_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE interview_reports (
    interview_id uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    version      integer NOT NULL,
    report       json NOT NULL,
    generated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (interview_id, version)
);

CREATE TABLE interview_decisions (
    id           uuid PRIMARY KEY,
    interview_id uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    decision     text NOT NULL,
    reason       text,
    decided_by   text NOT NULL,
    decided_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX interview_decisions_interview ON interview_decisions (interview_id, decided_at DESC, id DESC);

-- A reviewer has heard the quote and says that it is what was said.
CREATE TABLE interview_claims (
    interview_id uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    claim_id     text NOT NULL,
    confirmed_by text NOT NULL,
    confirmed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (interview_id, claim_id)
);

CREATE TABLE interview_shares (
    id               uuid PRIMARY KEY,
    interview_id     uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    token_hash       bytea NOT NULL,
    include_decision boolean NOT NULL,
    created_by       text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    expires_at       timestamptz NOT NULL,
    revoked_at       timestamptz
);
CREATE UNIQUE INDEX interview_shares_token ON interview_shares (token_hash);
CREATE UNIQUE INDEX interview_shares_active ON interview_shares (interview_id) WHERE revoked_at IS NULL;
CREATE INDEX interview_shares_interview ON interview_shares (interview_id);

-- Who looked: at a share page, or at the recording.
CREATE TABLE interview_views (
    id           uuid PRIMARY KEY,
    interview_id uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    share_id     uuid REFERENCES interview_shares (id) ON DELETE CASCADE, -- null: somebody of the organization
    kind         text NOT NULL CHECK (kind IN ('share', 'playback')),
    viewer       text,  -- key or person; null: whoever has the link
    ip_prefix    text,
    at           timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX interview_views_interview ON interview_views (interview_id, at DESC, id DESC);
CREATE INDEX interview_views_share ON interview_views (share_id, at DESC) WHERE share_id IS NOT NULL;

-- What has to go from where the database cannot reach. The row goes when nothing
-- is left.
CREATE TABLE removals (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    interview_id    uuid NOT NULL,
    prefix          text NOT NULL,    -- of blobs; ends in a slash
    whole           boolean NOT NULL, -- the interview is gone: jobs and what was told of it go too
    due_at          timestamptz NOT NULL DEFAULT now(),
    attempts        integer NOT NULL DEFAULT 0,
    last_error      text,
    created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX removals_due ON removals (due_at);

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TABLE removals, interview_views, interview_shares, interview_claims, interview_decisions, interview_reports, interview_files,
    interview_activities, interview_subtitles, interview_transcripts, interview_media, interview_steps, interview_events, interview_take_parts,
    interview_takes, interview_devices, interview_consents, interview_sessions, interview_invites, interview_questions, interviews, suppressions, suppression_keys;
ALTER TABLE traders DROP COLUMN interview_only;
ALTER TABLE organizations
    DROP COLUMN contact, DROP COLUMN lawful_basis, DROP COLUMN off_box_speech, DROP COLUMN off_box_prose, DROP COLUMN settings_at;
