import type { AccountToken } from '@probe-mesh/bus/nats/accounts/accounts'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** The maximum size of a message, as in the stream of readings. */
const payloadBytesMax = 1024 * 1024
const connectionsMax = 4_096
const subscriptionsMax = 1_000
/** The maximum backlog of a slow client before it is disconnected. */
const pendingBytesMax = 64 * 1024 * 1024
const memoryStoreBytesMax = 64 * 1024 * 1024
const loginSecondsMax = 5
/** A dead connection is closed after three intervals without an answer. */
const pingSeconds = 5
const pingsMax = 2
const clusterName = 'probe-mesh'
/** The storage of a leaf node. The mesh stores nothing there; an operator may use it. */
const leafStoreBytesMax = 1024 * 1024 * 1024
const leafReconnectSeconds = 1

/** Paths of PEM files. `authority` signs the certificates of the other servers. */
export type ServerTls = { certificate: string; key: string; authority: string | null }

/** The settings of every server of the mesh. */
type CommonPlan = {
  /** host:port */
  listen: string
  /** The folder of JetStream. */
  storeDir: string
  /** The folder for updates of accounts. */
  accountsDir: string
  operatorToken: string
  /** null: traffic is not encrypted. */
  tls: ServerTls | null
}

export type ServerPlan = CommonPlan & {
  /** Its own address in the cluster, and those of all servers, as host:port; null: no cluster. */
  cluster: { listen: string; servers: readonly string[] } | null
  /** host:port for the leaf nodes of regions; null: none. */
  leafListen: string | null
}

export type LeafPlan = CommonPlan & {
  region: Region
  /** Public key of the region's account. */
  account: string
  /** The servers that it connects to, as host:port. */
  hub: readonly string[]
  /** The authority of the hub's certificates (null: that of the system); `off`: no TLS. */
  hubAuthority: string | null | 'off'
  /** Path of its credentials for the hub. */
  credentials: string
}

/**
 * The configuration of a server of the mesh. Signed tokens decide who may connect: the server knows only the
 * operator's public key, and gets updates of accounts while it runs (`$SYS.REQ.CLAIMS.UPDATE`). JetStream
 * syncs to disk at its default interval.
 */
export const serverConfiguration = (plan: ServerPlan): string =>
  `${common(plan, `max_memory_store: ${memoryStoreBytesMax}`)}${clusterBlock(plan)}${leafListener(plan)}`

/**
 * The configuration of a region's leaf node. The region's agents connect to it, and it connects to the mesh,
 * in the region's account and with the permissions of an agent. Its JetStream has its own domain.
 */
export const leafConfiguration = (plan: LeafPlan): string => {
  const jetStream = [
    `domain: ${quoted(plan.region)}`,
    `max_memory_store: ${memoryStoreBytesMax}`,
    `max_file_store: ${leafStoreBytesMax}`,
  ]
  const { hub, hubAuthority } = plan
  const scheme = hubAuthority === 'off' ? 'nats-leaf' : 'tls'
  const tls = `      tls { timeout: ${loginSecondsMax}${hubAuthority === null ? '' : `, ca_file: ${quoted(hubAuthority)}`} }\n`
  return `${common(plan, jetStream.join('\n  '))}
leafnodes {
  reconnect: ${leafReconnectSeconds}
  remotes: [
    {
      urls: [${hub.map((server) => quoted(`${scheme}://${server}`)).join(', ')}]
      account: ${plan.account}
      credentials: ${quoted(plan.credentials)}
${hubAuthority === 'off' ? '' : tls}    }
  ]
}
`
}

const authorityLine = ({ authority }: ServerTls): string =>
  authority === null ? '' : `, ca_file: ${quoted(authority)}`

const common = (plan: CommonPlan, jetStream: string): string => `\
# Written by "npm run nats-config", which overwrites it. Put other settings of the server into another
# file with this line: include "./nats-server.conf"

listen: ${quoted(plan.listen)}
max_payload: ${payloadBytesMax}
max_connections: ${connectionsMax}
max_subscriptions: ${subscriptionsMax}
max_pending: ${pendingBytesMax}
ping_interval: "${pingSeconds}s"
ping_max: ${pingsMax}

jetstream {
  store_dir: ${quoted(plan.storeDir)}
  ${jetStream}
}

authorization {
  timeout: ${loginSecondsMax}
}
${tlsBlock(plan.tls)}
operator: ${plan.operatorToken}
resolver: {
  type: full
  dir: ${quoted(plan.accountsDir)}
  allow_delete: false
  interval: "2m"
}
include "./accounts.conf"
`

/**
 * The signed permissions of each account. A server keeps newer ones from updates while it ran.
 * @param accounts the servers' own first
 */
export const accountsConfiguration = (accounts: readonly [AccountToken, ...AccountToken[]]): string => `\
# Written by "npm run nats-config" and by "admin agent revoke".
system_account: ${accounts[0].key}
resolver_preload: {
${accounts.map(({ key, token }) => `  ${key}: ${token}`).join('\n')}
}
`

/** Servers of a cluster authenticate each other by certificates only. */
const clusterBlock = ({ cluster, tls }: ServerPlan): string =>
  cluster === null
    ? ''
    : `
cluster {
  name: ${clusterName}
  listen: ${quoted(cluster.listen)}
  routes: [${cluster.servers.map((server) => quoted(`nats-route://${server}`)).join(', ')}]
  # clients know the servers by the names in their certificates
  no_advertise: true
${tls === null ? '' : `  ${verifyingTls(tls)}\n`}}
`

const leafListener = ({ leafListen, tls }: ServerPlan): string =>
  leafListen === null
    ? ''
    : `
leafnodes {
  listen: ${quoted(leafListen)}
  no_advertise: true
${tls === null ? '' : `  tls { cert_file: ${quoted(tls.certificate)}, key_file: ${quoted(tls.key)}, timeout: ${loginSecondsMax} }\n`}}
`

const verifyingTls = (tls: ServerTls): string =>
  `tls { cert_file: ${quoted(tls.certificate)}, key_file: ${quoted(tls.key)}${authorityLine(tls)}, verify: true, timeout: ${loginSecondsMax} }`

const tlsBlock = (tls: ServerPlan['tls']): string =>
  tls === null
    ? ''
    : `
tls {
  cert_file: ${quoted(tls.certificate)}
  key_file: ${quoted(tls.key)}
  timeout: ${loginSecondsMax}
}
`

/** The server's strings support the JSON escapes that paths and subjects need. */
const quoted = (text: string): string => JSON.stringify(text)
