#!/bin/sh
# Runs once, where the primary is made: the owner of the tables, who may create the roles that row-level
# security knows, and who may follow.
set -eu
quoted() { sed "s/'/''/g" "$1" | tr -d '\n'; }
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname mesh <<SQL
create role mesh login createrole password '$(quoted ${POSTGRES_SECRETS:-/run/secrets}/postgres-mesh-password)';
alter database mesh owner to mesh;
grant all on schema public to mesh;
create role replicator login replication password '$(quoted ${POSTGRES_SECRETS:-/run/secrets}/postgres-replication-password)';
SQL

# from now on an empty folder is a loss, and is filled from the other server
rm -f "$(dirname "$PGDATA")/new-system"
