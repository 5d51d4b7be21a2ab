import { credsAuthenticator } from '@nats-io/nats-core'
import type { NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { unavailable } from './unavailable.ts'

/**
 * A connection as the servers' own user, for one conversation: it is not opened again.
 * @param given.credentials the text of the system user's credentials file
 * @throws BusUnavailable where no server answers
 */
export const connectAsSystem = (given: {
  servers: readonly string[]
  credentials: string
  /** How it shows in the servers' list of connections. */
  name: string
  msMax: number
}): Promise<NatsConnection> =>
  connect({
    servers: [...given.servers],
    name: given.name,
    authenticator: credsAuthenticator(new TextEncoder().encode(given.credentials)),
    timeout: given.msMax,
    ...(given.servers.some((url) => url.startsWith('tls://')) ? { tls: {} } : {}),
    maxReconnectAttempts: 0,
  }).catch((error: unknown) => {
    throw unavailable(error)
  })
