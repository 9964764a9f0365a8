-- +goose Up
SET LOCAL lock_timeout = '2s';

-- A poll that changes nothing updates the newest run of each resource. With more
-- room on its page the update stays there, and touches no index. This holds for
-- pages that are written from now on.
ALTER TABLE sync_runs SET (fillfactor = 60);

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE sync_runs SET (fillfactor = 80);
