-- +goose Up
SET LOCAL lock_timeout = '2s';

-- A trader who cannot answer a required question may hand in without it, where
-- the firm allows that, and the question is marked.
ALTER TABLE interviews ADD COLUMN allow_unanswered boolean NOT NULL DEFAULT true;
ALTER TABLE interview_questions ADD COLUMN unanswered_at timestamptz; -- when it was handed in without an answer

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE interview_questions DROP COLUMN unanswered_at;
ALTER TABLE interviews DROP COLUMN allow_unanswered;
