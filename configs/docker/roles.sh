#!/bin/sh
# Makes the users of the two processes when Postgres makes the database. What they may
# do, `apiserver migrate` grants (store/roles/roles.sql).
set -eu
psql --quiet --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
	--set=apiserver="$(cat "$APISERVER_PASSWORD_FILE")" --set=syncd="$(cat "$SYNCD_PASSWORD_FILE")" <<'SQL'
CREATE ROLE assay_apiserver;
CREATE ROLE assay_syncd;
CREATE ROLE apiserver LOGIN PASSWORD :'apiserver' IN ROLE assay_apiserver;
CREATE ROLE syncd LOGIN PASSWORD :'syncd' IN ROLE assay_syncd;
SQL
