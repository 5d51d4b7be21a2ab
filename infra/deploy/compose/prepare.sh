#!/usr/bin/env bash
# Creates all files that compose.yaml mounts and that must not be committed: an authority and certificates for
# traffic between the parts, passwords and keys, the configuration of NATS, credentials for each agent.
# Existing files are kept, so that it can run again: with another region, or with --renew.
#
#   sudo ./prepare.sh --regions fra,iad --host status.example.com --mcp-host mcp.example.com [--renew]
set -euo pipefail
cd "$(dirname "$0")"
umask 077

regions='' host='' mcp_host='' renew='' agents=2
state=$(realpath -m "${MESH_STATE:-state}")
owner=10001
certificate_days=397
authority_days=3650

fail() { echo "prepare.sh: $*" >&2; exit 1; }
while [ $# -gt 0 ]; do
  case $1 in
    --regions) regions=${2:-}; shift ;;
    --host) host=${2:-}; shift ;;
    --mcp-host) mcp_host=${2:-}; shift ;;
    --renew) renew=yes ;;
    *) fail "unknown argument: $1" ;;
  esac
  shift
done
problems=''
[[ $regions =~ ^[a-z]{3}(,[a-z]{3})*$ ]] || problems+=' --regions (such as fra,iad)'
[[ $host =~ ^[a-z0-9.-]+$ ]] || problems+=' --host (such as status.example.com)'
[[ $mcp_host =~ ^[a-z0-9.-]+$ ]] || problems+=' --mcp-host (such as mcp.example.com)'
[ -z "$problems" ] || fail "missing or wrong:$problems"

mkdir -p "$state"/{authority,operator,secrets,tls,nats,clickhouse,data}

# The authority. No container gets its key.
if [ ! -e "$state/authority/ca.pem" ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $authority_days \
    -subj '/CN=Probe Mesh' -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' \
    -addext 'keyUsage=critical,keyCertSign,cRLSign' \
    -keyout "$state/authority/ca.key" -out "$state/authority/ca.pem" 2>/dev/null
fi

# One certificate for each part, for its name and, for its own health check, for localhost.
certify() {
  local name=$1 folder="$state/tls/$1" names="DNS:$1,DNS:localhost" extra
  for extra in "${@:2}"; do names+=",DNS:$extra"; done
  mkdir -p "$folder"
  cp "$state/authority/ca.pem" "$folder/ca.pem"
  [ -e "$folder/server.pem" ] && [ -z "$renew" ] && return
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
    -keyout "$folder/server.key.new" -out "$folder/request" 2>/dev/null
  openssl x509 -req -in "$folder/request" -days $certificate_days \
    -CA "$state/authority/ca.pem" -CAkey "$state/authority/ca.key" -out "$folder/server.pem.new" \
    -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\nbasicConstraints=CA:FALSE\n' "$names") \
    2>/dev/null
  mv "$folder/server.key.new" "$folder/server.key"
  mv "$folder/server.pem.new" "$folder/server.pem"
  rm "$folder/request"
}
for name in nats-{1,2,3} keeper-{1,2,3} clickhouse-{1,2}-{1,2} postgres-{primary,standby} \
  control-plane-{1,2} gateway-{1,2}; do
  certify "$name"
done
certify proxy "$host" "$mcp_host"
cat "$state/tls/proxy/server.pem" "$state/tls/proxy/server.key" > "$state/tls/proxy/server.both.pem"
# The public certificate: yours if you put it there, else one of this authority.
[ -e "$state/tls/proxy/outside.pem" ] || cp "$state/tls/proxy/server.both.pem" "$state/tls/proxy/outside.pem"
for region in ${regions//,/ }; do
  certify "leaf-$region"
  # agents are clients only: they need just the authority
  for number in $(seq $agents); do
    mkdir -p "$state/tls/agent-$region-$number"
    cp "$state/authority/ca.pem" "$state/tls/agent-$region-$number/ca.pem"
  done
done

# The first server of a new mesh may create an empty database, once. A folder that is empty later was lost.
mkdir -p "$state/data/postgres-primary"
[ -e "$state/secrets/postgres-password" ] || : > "$state/data/postgres-primary/new-system"

# Passwords and keys.
secret() { [ -e "$state/secrets/$1" ] || openssl rand -hex 32 > "$state/secrets/$1"; }
for name in postgres-password postgres-mesh-password postgres-replication-password clickhouse-password \
  clickhouse-cluster secrets-key gateway-key metrics-token; do
  secret "$name"
done
read_secret() { tr -d '\n' < "$state/secrets/$1"; }
printf 'postgres://mesh:%s@postgres-primary:5432,postgres-standby:5432/mesh?sslmode=verify-full&target_session_attrs=primary\n' \
  "$(read_secret postgres-mesh-password)" > "$state/secrets/database-url"
replica() { printf 'https://mesh:%s@clickhouse-%s:8443/mesh' "$(read_secret clickhouse-password)" "$1"; }
printf '%s,%s;%s,%s\n' "$(replica 1-1)" "$(replica 1-2)" "$(replica 2-1)" "$(replica 2-2)" \
  > "$state/secrets/clickhouse-url"
password_hash=$(read_secret clickhouse-password | openssl dgst -sha256 -r | cut -d' ' -f1)
cat > "$state/clickhouse/users.xml" <<XML
<clickhouse>
  <users>
    <default remove="remove"/>
    <mesh>
      <password_sha256_hex>$password_hash</password_sha256_hex>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </mesh>
  </users>
</clickhouse>
XML
cat > "$state/clickhouse/secret.xml" <<XML
<clickhouse>
  <remote_servers><mesh><secret>$(read_secret clickhouse-cluster)</secret></mesh></remote_servers>
</clickhouse>
XML

# NATS. The operator's keys stay in state/operator; servers get the copied files.
mesh() { local said; said=$(node ../../start/launch/launch.mjs "$@" 2>&1) || fail "$said"; }
nats_config() { mesh infra/deploy/nats/main.ts --out "$state/operator" "$@"; }
enrolled() { mesh infra/operate/admin/main.ts agent "$@" --keys "$state/operator"; }
nats_config --regions "$regions" --listen 0.0.0.0:4222 --store /data \
  --tls-cert /run/tls/server.pem --tls-key /run/tls/server.key --tls-ca /run/tls/ca.pem \
  --cluster nats-1:6222,nats-2:6222,nats-3:6222 --leaf-listen 0.0.0.0:7422
cp "$state"/operator/{nats-server,accounts}.conf "$state/nats/"
cp nats-main.conf "$state/nats/main.conf"
cp "$state/operator/control-plane.creds" "$state/secrets/"
for region in ${regions//,/ }; do
  nats_config --leaf "$region" --hub nats-1:7422,nats-2:7422,nats-3:7422 --listen 0.0.0.0:4222 --store /data \
    --tls-cert /run/tls/server.pem --tls-key /run/tls/server.key --tls-ca /run/tls/ca.pem \
    --credentials /etc/nats/leaf.creds
  mkdir -p "$state/leaf-$region"
  cp "$state/operator/leaf-$region"/{nats-server.conf,accounts.conf,leaf.creds} nats-main.conf "$state/leaf-$region/"
  mv "$state/leaf-$region/nats-main.conf" "$state/leaf-$region/main.conf"
  for number in $(seq $agents); do
    file="$state/secrets/agent-$region-$number.creds"
    [ -e "$file" ] || enrolled enroll --region "$region" --name "$region-$number" --out "$file"
    mkdir -p "$state/data/agent-$region-$number"
  done
  mkdir -p "$state/data/leaf-$region"
  # opens the secrets of checks; it follows from the key of the control planes and the region
  key=$(SECRETS_KEY_FILE="$state/secrets/secrets-key" node ../../start/launch/launch.mjs infra/operate/admin/main.ts region-key "$region") \
    || fail "no key for the region $region"
  echo "$key" > "$state/secrets/region-key-$region"
done
mkdir -p "$state"/data/{nats-{1,2,3},keeper-{1,2,3},clickhouse-{1,2}-{1,2},postgres-{primary,standby}}

# Compose reads .env, which lists a file for each region.
project=$(dirname "$state")
compose_files=compose.yaml
rm -f "$project"/region-???.yaml
for region in ${regions//,/ }; do
  sed "s/abc/$region/g" region.yaml > "$project/region-$region.yaml"
  compose_files+=":region-$region.yaml"
done
cat > "$project/.env" <<ENV
COMPOSE_FILE=$compose_files
MESH_VERSION=${MESH_VERSION:-1.0.0-rc.1}
REGIONS=$regions
PUBLIC_URL=https://$host
MCP_URL=https://$mcp_host
MCP_HOST=$mcp_host
ENV

chmod 644 "$project/.env" "$project"/region-???.yaml

# The files of containers belong to their user; the keys only to the operator.
if [ "$(id -u)" = 0 ]; then
  chown "$owner:$owner" "$state"
  for name in secrets tls nats clickhouse data; do chown -R "$owner:$owner" "$state/$name"; done
  for region in ${regions//,/ }; do chown -R "$owner:$owner" "$state/leaf-$region"; done
else
  echo "prepare.sh: not run as root, so the files in $state belong to you: containers run as $owner and cannot read them" >&2
fi
echo "all mounts of Compose are in $state, for the regions $regions; keep state/authority and state/operator private"
