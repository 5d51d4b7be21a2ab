import { credsAuthenticator, type NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { unavailable } from './link.ts'

const connectMsMax = 3_000
const answersMsMax = 1_000
/** For each server and kind: a server remembers 10,000 closed connections. */
const connectionsMax = 1_024

/** A client, as a NATS server sees it. */
export type ConnectionFacts = {
  /** The client's own name. */
  name: string
  address: string
  /** Public key of the user of its credentials. */
  user: string
  subscriptions: number
  startedAtMs: number
  /** null: it is connected. */
  ended: { atMs: number; reason: string } | null
}

/**
 * The clients of every server that answers: the connected ones, and the last that ended, including refused
 * ones.
 * @param credentials the text of the system user's credentials file
 * @throws BusUnavailable when no server answers
 */
export const readConnections = async (
  servers: readonly string[],
  credentials: string,
): Promise<ConnectionFacts[]> => {
  const name = 'admin doctor'
  const nc = await connectAsSystem({ servers, credentials, name, msMax: connectMsMax })
  try {
    const [open, closed] = await Promise.all([ask(nc, 0, 'start'), ask(nc, 1, 'stop')])
    return [...open, ...closed]
  } finally {
    await nc.close()
  }
}

/** @param state 0: connected; 1: ended */
const ask = async (nc: NatsConnection, state: 0 | 1, sort: string): Promise<ConnectionFacts[]> => {
  const request = JSON.stringify({ state, sort, auth: true, limit: connectionsMax })
  // each server answers for itself
  const answers = await nc.requestMany('$SYS.REQ.SERVER.PING.CONNZ', request, {
    strategy: 'stall',
    stall: 300,
    maxWait: answersMsMax,
  })
  const found: ConnectionFacts[] = []
  for await (const answer of answers) {
    const listed: unknown = Object(Object(answer.json()).data).connections
    if (Array.isArray(listed)) found.push(...listed.flatMap(connectionOf))
  }
  return found
}

const connectionOf = (listed: unknown): ConnectionFacts[] => {
  const { name, ip, port, authorized_user: user, subscriptions, start, stop, reason } = Object(listed)
  if (typeof user !== 'string' || typeof name !== 'string') return []
  const endedAtMs = Date.parse(String(stop))
  return [
    {
      name,
      address: `${ip}:${port}`,
      user,
      subscriptions: Number(subscriptions ?? 0),
      startedAtMs: Date.parse(String(start)),
      ended: Number.isNaN(endedAtMs) ? null : { atMs: endedAtMs, reason: String(reason ?? '') },
    },
  ]
}

/**
 * A connection as the system user, for one conversation: it does not reconnect.
 * @param given.credentials the text of the system user's credentials file
 * @throws BusUnavailable when no server answers
 */
export const connectAsSystem = (given: {
  servers: readonly string[]
  credentials: string
  /** The name in the servers' list of connections. */
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
