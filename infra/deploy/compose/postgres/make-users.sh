#!/bin/sh
# Runs once, when the primary is created: creates the owner of the tables, who may create the roles of
# row-level security, and the user of the standby.
set -eu
quoted() { sed "s/'/''/g" "$1" | tr -d '\n'; }
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname mesh <<SQL
create role mesh login createrole password '$(quoted ${POSTGRES_SECRETS:-/run/secrets}/postgres-mesh-password)';
alter database mesh owner to mesh;
grant all on schema public to mesh;
create role replicator login replication password '$(quoted ${POSTGRES_SECRETS:-/run/secrets}/postgres-replication-password)';
SQL

# from now on an empty folder is a loss and is restored from the other server
rm -f "$(dirname "$PGDATA")/new-system"
