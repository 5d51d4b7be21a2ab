#!/bin/sh
# A standby: copied from the primary where there is nothing yet, and following it from then on.
set -eu
umask 077
PGPASSFILE=/tmp/pgpass
export PGPASSFILE
printf '*:*:*:replicator:%s\n' "$(tr -d '\n' < /run/secrets/postgres-replication-password)" > "$PGPASSFILE"
source="host=$PRIMARY port=5432 user=replicator application_name=standby sslmode=verify-full sslrootcert=/run/tls/ca.pem passfile=$PGPASSFILE"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "$PGDATA.part"
  # the slot stays where an earlier try was cut short
  pg_basebackup --dbname="$source" --pgdata="$PGDATA.part" --wal-method=stream --write-recovery-conf \
    --create-slot --slot=standby ||
    { rm -rf "$PGDATA.part"
      pg_basebackup --dbname="$source" --pgdata="$PGDATA.part" --wal-method=stream \
        --write-recovery-conf --slot=standby; }
  mv "$PGDATA.part" "$PGDATA"
fi
exec postgres -c config_file=/etc/postgresql/postgresql.conf -D "$PGDATA"
