#!/bin/sh
# One of two Postgres servers: a server that is not the primary follows the other. It never creates an empty
# primary: with an empty folder it copies the other server, except at the first start of a new mesh, which
# prepare.sh marks. docs/deploy.md describes the failover.
set -eu
umask 077
. "$(dirname "$0")/peer.sh"
config=${POSTGRES_CONFIG:-/etc/postgresql/postgresql.conf}
home=$(dirname "$PGDATA")

log() { echo "follow.sh: $*" >&2; }

# Copies the other server and follows it. The former data of this server is kept until the next copy.
copy() {
  rm -rf "$PGDATA.part"
  # the slot exists already if an earlier attempt was interrupted
  pg_basebackup --dbname="$source" --pgdata="$PGDATA.part" --wal-method=stream --checkpoint=fast \
    --write-recovery-conf --create-slot --slot=standby ||
    { rm -rf "$PGDATA.part"
      pg_basebackup --dbname="$source" --pgdata="$PGDATA.part" --wal-method=stream --checkpoint=fast \
        --write-recovery-conf --slot=standby; }
  if [ -e "$PGDATA" ]; then rm -rf "$PGDATA.former"; mv "$PGDATA" "$PGDATA.former"; fi
  mv "$PGDATA.part" "$PGDATA"
  rm -f "$home/alone"
}

if [ ! -s "$PGDATA/PG_VERSION" ] && [ -e "$home/new-system" ]; then
  exec docker-entrypoint.sh postgres -c config_file="$config"
elif [ ! -s "$PGDATA/PG_VERSION" ]; then
  log "the folder is empty: waiting until $PEER is primary, to copy it"
  until [ "$(peer)" = primary ]; do sleep "${POLL_SECONDS:-2}"; done
  copy
elif [ ! -e "$PGDATA/standby.signal" ]; then
  # it was primary when it stopped: the other server may have been promoted since
  tries=0
  while
    state=$(peer)
    [ "$state" = away ] && { [ ! -e "$home/alone" ] || [ "$tries" -lt 15 ]; }
  do
    [ $((tries % 15)) -ne 0 ] ||
      log "waiting for $PEER, which may have been promoted. If it is lost for good: touch $home/alone"
    tries=$((tries + 1))
    sleep "${POLL_SECONDS:-2}"
  done
  if [ "$state" = primary ]; then
    log "$PEER was promoted: this server becomes its standby; $PGDATA.former keeps its former data"
    copy
  fi
fi
exec postgres -c config_file="$config" -D "$PGDATA" "$@"
