import type { AccountToken } from '@probe-mesh/bus/nats/accounts/accounts'

/** Of one message: as large as the stream of readings takes. */
const payloadBytesMax = 1024 * 1024
const connectionsMax = 4_096
const subscriptionsMax = 1_000
/** Of a client that reads too slowly, before it is cut off. */
const pendingBytesMax = 64 * 1024 * 1024
const memoryStoreBytesMax = 64 * 1024 * 1024
const loginSecondsMax = 5

export type ServerPlan = {
  /** host:port */
  listen: string
  /** Where JetStream keeps its files. */
  storeDir: string
  /** Where the server keeps what it is told of accounts. */
  accountsDir: string
  operatorToken: string
  /** Files in PEM; null: what travels is not encrypted. */
  tls: { certificate: string; key: string } | null
}

/**
 * The configuration of a server of the mesh. Who may connect is said by signed tokens: the server
 * knows the operator's public key alone, and is told of accounts while it runs
 * (`$SYS.REQ.CLAIMS.UPDATE`). JetStream syncs to disk as it does by default.
 */
export const serverConfiguration = (plan: ServerPlan): string => `\
# Written by "npm run nats-config", which writes it anew each time. What else a server needs belongs
# into a file of its own that has this line: include "./nats-server.conf"

listen: ${quoted(plan.listen)}
max_payload: ${payloadBytesMax}
max_connections: ${connectionsMax}
max_subscriptions: ${subscriptionsMax}
max_pending: ${pendingBytesMax}

jetstream {
  store_dir: ${quoted(plan.storeDir)}
  max_memory_store: ${memoryStoreBytesMax}
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
export const accountsConfiguration = (
  accounts: readonly [AccountToken, ...AccountToken[]],
): string => `\
# Written by "npm run nats-config" and by "admin agent revoke".
system_account: ${accounts[0].key}
resolver_preload: {
${accounts.map(({ key, token }) => `  ${key}: ${token}`).join('\n')}
}
`

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
