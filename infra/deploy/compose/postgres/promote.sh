#!/bin/sh
# Makes this standby the primary, if the other server is stopped. Commits do not wait for a standby until it
# is configured again: docs/deploy.md.
set -eu
. "$(dirname "$0")/peer.sh"
if [ "$(peer)" = primary ]; then
  echo "promote.sh: $PEER is primary and answers: stop it first and keep it stopped" >&2
  exit 1
fi
pg_ctl promote --wait -D "$PGDATA"
touch "$(dirname "$PGDATA")/alone"
PGPASSWORD=$(tr -d '\n' < "$secrets/postgres-password")
export PGPASSWORD
psql -XAtq -h "${POSTGRES_SOCKETS:-/var/run/postgresql}" -p "${OWN_PORT:-5432}" -U postgres -d postgres \
  -c "alter system set synchronous_standby_names = ''" -c 'select pg_reload_conf()' > /dev/null
echo "promote.sh: this server is now the primary"
