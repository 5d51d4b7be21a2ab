import { messageOf } from '@probe-mesh/runtime/errors'
import { pause } from '@probe-mesh/runtime/pause'
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream'
import { Kvm, type KV } from '@nats-io/kv'
import { errors, type Authenticator, type NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import type { Logger } from '../logger.ts'
import { BusUnavailable } from '../port.ts'
import { createRareLog } from '../rare-log.ts'
import type { Admission } from '../refusal.ts'
import { createRefusals } from './refusals.ts'
import { createRequests } from './requests.ts'

/** How long one request to the server may take before it counts as unavailable. */
export const requestMsMax = 5_000
/** A dead connection is noticed after three of these. */
const pingMs = 3_000
const closeMsMax = 2_000

export type LinkOptions = {
  servers: readonly string[]
  /** Shown in the server's list of connections. */
  name: string
  authenticator?: Authenticator
  /** Required for credentials of a region: other regions must not read the replies. */
  inboxPrefix?: string
  /** The API prefix for the JetStream of another account. */
  apiPrefix?: string
  /** Checks a new connection before its first use; an exception fails the opening. */
  check?: (nc: NatsConnection) => Promise<void>
  /** Notified whether the server admits the connection; absent: that is logged. */
  admission?: Admission
  log: Logger
}

/** One connection to NATS and its state. */
export type Link = {
  readonly nc: NatsConnection
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  readonly inboxPrefix: string
  readonly log: Logger
  /** Aborted when the bus is closed. */
  readonly closing: AbortSignal
  bucket(name: string): Promise<KV>
  isUp(): boolean
  /** Runs an operation. @throws BusUnavailable at once without a connection, or when it is lost */
  attempt<T>(operation: () => Promise<T>): Promise<T>
  /** Calls back when the connection is lost or returns. @returns removes the listener */
  onChange(listener: (up: boolean) => void): () => void
  close(): Promise<void>
}

/** @throws BusUnavailable when no server answers; once connected, it reconnects forever */
export const openLink = async (options: LinkOptions): Promise<Link> => {
  const inboxPrefix = options.inboxPrefix ?? '_INBOX'
  const refusals = createRefusals(options.admission ?? null)
  const rarely = createRareLog(options.log)
  const nc = await connect({
    servers: [...options.servers],
    name: options.name,
    inboxPrefix,
    ...(options.authenticator === undefined ? {} : { authenticator: options.authenticator }),
    // without this the client accepts a server that offers no TLS
    ...(options.servers.some((url) => url.startsWith('tls://')) ? { tls: {} } : {}),
    timeout: requestMsMax,
    pingInterval: pingMs,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => refusals.waitMs(),
    ignoreAuthErrorAbort: true,
    // a stack trace for each of thousands of requests a second costs too much
    noAsyncTraces: true,
  }).catch((error: unknown) => {
    throw unavailable(error)
  })
  try {
    await options.check?.(nc)
  } catch (error) {
    await nc.close()
    throw error
  }
  refusals.letIn()
  const requests = createRequests(nc, inboxPrefix)
  // the clients of streams and buckets use it too
  nc.request = requests.request
  const apiPrefix = options.apiPrefix ?? '$JS.API'
  const api = { timeout: requestMsMax, watcherPrefix: inboxPrefix, apiPrefix }
  const js = jetstream(nc, api)
  const jsm = await jetstreamManager(nc, { ...api, checkAPI: false })
  const kvm = new Kvm(js)
  const buckets = new Map<string, Promise<KV>>()
  const closing = new AbortController()
  const listeners = new Set<(up: boolean) => void>()
  let up = true

  const onChange = (listener: (up: boolean) => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  const turn = (now: boolean) => {
    if (up === now) return
    up = now
    if (!closing.signal.aborted) {
      if (now) options.log.info({ server: nc.getServer() }, 'nats is available again')
      else options.log.warn({}, 'nats is temporarily unavailable')
    }
    for (const listener of listeners) listener(now)
  }
  const follow = async () => {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect') turn(false)
      else if (status.type === 'reconnect') {
        refusals.letIn()
        turn(true)
      } else if (status.type === 'error' || status.type === 'slowConsumer') {
        const error = status.type === 'error' ? status.error : null
        requests.refuse(error)
        const isHeard = error !== null && refusals.hear(error)
        if (isHeard && options.admission !== undefined) continue
        const kind = error === null ? status.type : String(error)
        rarely.warn(kind, { status }, 'nats reports a problem')
      }
    }
    turn(false)
  }
  const following = follow()

  return {
    nc,
    js,
    jsm,
    inboxPrefix,
    log: options.log,
    closing: closing.signal,
    bucket: (name) => {
      const found = buckets.get(name) ?? kvm.open(name)
      buckets.set(name, found)
      return found
    },
    isUp: () => up && !closing.signal.aborted,
    attempt: async (operation) => {
      if (closing.signal.aborted) throw new BusUnavailable('the bus is closed')
      if (!up) throw new BusUnavailable('nats is temporarily unavailable')
      return new Promise((resolve, reject) => {
        // The client itself would wait until the request times out.
        const stopListening = onChange((now) => {
          if (!now) reject(new BusUnavailable('the connection to nats was lost'))
        })
        operation()
          .then(resolve, (error: unknown) => reject(unavailable(error)))
          .finally(stopListening)
      })
    },
    onChange,
    close: async () => {
      if (closing.signal.aborted) return
      closing.abort()
      // Sends what was published and not yet written, if the server accepts it.
      if (up) await Promise.race([nc.flush().catch(() => undefined), pause(closeMsMax)])
      await nc.close()
      await following
      listeners.clear()
    },
  }
}

const isOurs = (error: unknown): boolean =>
  error instanceof BusUnavailable ||
  error instanceof TypeError ||
  error instanceof errors.InvalidArgumentError ||
  error instanceof errors.InvalidSubjectError ||
  error instanceof errors.PermissionViolationError ||
  error instanceof errors.AuthorizationError ||
  error instanceof errors.UserAuthenticationExpiredError

/** The client wraps the refusal of a request, at most this deep. */
const causesMax = 4

const violationIn = (error: unknown): Error | null => {
  let inner = error
  for (let depth = 0; depth < causesMax && inner instanceof Error; depth++) {
    if (inner instanceof errors.PermissionViolationError) return inner
    inner = inner.cause
  }
  return null
}

/**
 * Converts an error of NATS for callers of the port: an error worth a retry becomes `BusUnavailable`; a bug,
 * wrong credentials or a missing permission stays as it is.
 */
export const unavailable = (error: unknown): unknown => {
  if (isOurs(error)) return error
  const violation = violationIn(error)
  if (violation !== null) return violation
  const message = messageOf(error)
  return new BusUnavailable(`nats: ${message}`, { cause: error })
}
