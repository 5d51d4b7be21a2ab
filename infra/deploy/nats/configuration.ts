import type { AccountToken } from '@probe-mesh/bus/nats/accounts/accounts'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** Of one message: as large as the stream of readings takes. */
const payloadBytesMax = 1024 * 1024
const connectionsMax = 4_096
const subscriptionsMax = 1_000
/** Of a client that reads too slowly, before it is cut off. */
const pendingBytesMax = 64 * 1024 * 1024
const memoryStoreBytesMax = 64 * 1024 * 1024
const loginSecondsMax = 5
/** A connection that carries nothing any more, and that nobody closed, is given up after three of these. */
const pingSeconds = 5
const pingsMax = 2
const clusterName = 'probe-mesh'
/** Of what is kept on a leaf node: nothing of the mesh is, so this is what an operator may use. */
const leafStoreBytesMax = 1024 * 1024 * 1024
const leafReconnectSeconds = 1

/** Paths of PEM files; `authority` is whose certificates other servers prove themselves by. */
export type ServerTls = { certificate: string; key: string; authority: string | null }

/** What every server of the mesh is told. */
type CommonPlan = {
  /** host:port */
  listen: string
  /** Where JetStream keeps its files. */
  storeDir: string
  /** Where the server keeps what it is told of accounts. */
  accountsDir: string
  operatorToken: string
  /** null: what travels is not encrypted. */
  tls: ServerTls | null
}

export type ServerPlan = CommonPlan & {
  /** Where it meets the others of its cluster, and where they all are, as host:port; null: it is alone. */
  cluster: { listen: string; servers: readonly string[] } | null
  /** host:port where the leaf nodes of regions connect; null: nowhere. */
  leafListen: string | null
}

export type LeafPlan = CommonPlan & {
  region: Region
  /** Public key of the region's account. */
  account: string
  /** The servers that it connects to, as host:port. */
  hub: readonly string[]
  /** By whose certificates those prove themselves (null: whom the system trusts); `off`: they do not. */
  hubAuthority: string | null | 'off'
  /** Path of the file by which it is let in there. */
  credentials: string
}

/**
 * The configuration of a server of the mesh. Who may connect is said by signed tokens: the server
 * knows the operator's public key alone, and is told of accounts while it runs
 * (`$SYS.REQ.CLAIMS.UPDATE`). JetStream syncs to disk as it does by default.
 */
export const serverConfiguration = (plan: ServerPlan): string =>
  `${common(plan, `max_memory_store: ${memoryStoreBytesMax}`)}${clusterBlock(plan)}${leafListener(plan)}`

/**
 * The configuration of a region's leaf node: the region's agents connect to it, and it to the mesh, in
 * the region's account and with no other rights than an agent's. Its JetStream has a domain of its own.
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
# Written by "npm run nats-config", which writes it anew each time. What else a server needs belongs
# into a file of its own that has this line: include "./nats-server.conf"

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
 * What each account may do, signed. A server keeps what is newer: what it was told while it ran.
 * @param accounts the first is the servers' own
 */
export const accountsConfiguration = (accounts: readonly [AccountToken, ...AccountToken[]]): string => `\
# Written by "npm run nats-config" and by "admin agent revoke".
system_account: ${accounts[0].key}
resolver_preload: {
${accounts.map(({ key, token }) => `  ${key}: ${token}`).join('\n')}
}
`

/** Servers of a cluster prove themselves to each other by certificates: there is no other secret. */
const clusterBlock = ({ cluster, tls }: ServerPlan): string =>
  cluster === null
    ? ''
    : `
cluster {
  name: ${clusterName}
  listen: ${quoted(cluster.listen)}
  routes: [${cluster.servers.map((server) => quoted(`nats-route://${server}`)).join(', ')}]
  # clients know the servers by their names, which certificates are of
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

/** The server's strings know the escapes of JSON that a path or a subject can need. */
const quoted = (text: string): string => JSON.stringify(text)
