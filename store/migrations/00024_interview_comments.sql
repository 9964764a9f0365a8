-- +goose Up
SET LOCAL lock_timeout = '2s';

-- What people of the organization write about an interview, for each other.
CREATE TABLE interview_comments (
    id           uuid PRIMARY KEY,
    interview_id uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    author_id    uuid NOT NULL, -- a person or an API key
    author_name  text NOT NULL,
    body         text NOT NULL,
    at_ms        integer,       -- moment of the recording; null: the whole interview
    created_at   timestamptz NOT NULL DEFAULT now(),
    edited_at    timestamptz    -- null: never
);
CREATE INDEX interview_comments_interview ON interview_comments (interview_id, created_at, id);

-- Whom a comment mentions, and whether that person has responded.
CREATE TABLE interview_mentions (
    comment_id   uuid NOT NULL REFERENCES interview_comments (id) ON DELETE CASCADE,
    person_id    uuid NOT NULL,
    interview_id uuid NOT NULL REFERENCES interviews (id) ON DELETE CASCADE,
    done_at      timestamptz, -- null: it waits for the person
    PRIMARY KEY (comment_id, person_id)
);
CREATE INDEX interview_mentions_waiting ON interview_mentions (person_id, interview_id) WHERE done_at IS NULL;
CREATE INDEX interview_mentions_interview ON interview_mentions (interview_id);

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TABLE interview_mentions, interview_comments;
