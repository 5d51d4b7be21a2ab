# Functions of follow.sh and promote.sh that query and copy the other server.
secrets=${POSTGRES_SECRETS:-/run/secrets}
PGPASSFILE=${PGPASS:-/tmp/pgpass}
export PGPASSFILE
(umask 077 && printf '*:*:*:replicator:%s\n' "$(tr -d '\n' < "$secrets/postgres-replication-password")" > "$PGPASSFILE")
source="host=$PEER port=${PEER_PORT:-5432} user=replicator application_name=standby connect_timeout=3 sslmode=verify-full sslrootcert=${POSTGRES_TLS:-/run/tls}/ca.pem passfile=$PGPASSFILE"

# Prints primary, standby or away.
peer() {
  case $(psql -XAtq "$source replication=1" -c 'SHOW in_hot_standby' 2>/dev/null) in
    off) echo primary ;;
    on) echo standby ;;
    *) echo away ;;
  esac
}
