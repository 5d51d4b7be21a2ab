import { createInbox, credsAuthenticator } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { parseForeignJson } from '@probe-mesh/contracts/foreign-json'
import { unavailable } from '../unavailable.ts'

const connectMsMax = 4_000
/** Each server of a cluster answers by itself: nobody knows how many there are. */
const answersMs = 700
const connectionsMax = 1_024
/** Servers know states by number. */
const closedState = 1

/** One that was not let in, by the name that it gave. */
export type Knock = { name: string; times: number; lastAtMs: number }

/**
 * Who came lately and was not let in: servers remember the connections that ended.
 * @param credentials the text of the system user's credentials file
 * @throws BusUnavailable where none answers
 */
export const readKnocks = async (
  servers: readonly string[],
  credentials: string,
): Promise<Knock[]> => {
  const connection = await connect({
    servers: [...servers],
    name: 'admin doctor',
    authenticator: credsAuthenticator(new TextEncoder().encode(credentials)),
    timeout: connectMsMax,
    ...(servers.some((url) => url.startsWith('tls://')) ? { tls: {} } : {}),
    maxReconnectAttempts: 0,
  }).catch((error: unknown) => {
    throw unavailable(error)
  })
  try {
    const knocks = new Map<string, Knock>()
    const inbox = createInbox()
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error === null) takeAnswer(message.data, knocks)
      },
    })
    const asked = { state: closedState, limit: connectionsMax, sort: 'stop' }
    connection.publish('$SYS.REQ.SERVER.PING.CONNZ', JSON.stringify(asked), { reply: inbox })
    await new Promise((resolve) => setTimeout(resolve, answersMs))
    subscription.unsubscribe()
    return [...knocks.values()]
  } finally {
    await connection.close()
  }
}

const takeAnswer = (data: Uint8Array, knocks: Map<string, Knock>): void => {
  let answer: unknown
  try {
    answer = parseForeignJson(data)
  } catch {
    return
  }
  const { connections } = Object(Object(answer).data) as { connections?: unknown }
  if (!Array.isArray(connections)) return
  for (const one of connections) {
    const { name, reason, stop } = Object(one) as Record<string, unknown>
    if (typeof name !== 'string' || name === '' || !isRefusal(reason)) continue
    const atMs = typeof stop === 'string' ? Date.parse(stop) : Number.NaN
    if (Number.isNaN(atMs)) continue
    const known = knocks.get(name) ?? { name, times: 0, lastAtMs: atMs }
    knocks.set(name, {
      name,
      times: known.times + 1,
      lastAtMs: Math.max(known.lastAtMs, atMs),
    })
  }
}

const isRefusal = (reason: unknown): boolean =>
  typeof reason === 'string' && /authentication (failure|expired)|revoked/i.test(reason)
