import { setTimeout as wait } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import type { KV } from '@nats-io/kv'
import { errors } from '@nats-io/nats-core'
import type { Authenticator, NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import type { Logger } from '../logger.ts'
import { BusUnavailable } from '../port.ts'
import { createRareLog } from '../rare-log.ts'
import type { Admission } from '../refusal.ts'
import { createRefusals } from './refusals.ts'

/** How long one request to the server may take before it counts as unavailable. */
export const requestMsMax = 5_000
/** A dead connection that nobody closed is noticed after three of these. */
const pingMs = 3_000
const closeMsMax = 2_000

export type LinkOptions = {
  servers: readonly string[]
  /** Shown in the server's list of connections. */
  name: string
  authenticator?: Authenticator
  /** Of one's own where credentials are limited to a region: others must not read the replies. */
  inboxPrefix?: string
  /** Where an account finds the JetStream of another one. */
  apiPrefix?: string
  /** Looks at a new connection before anything is done with it; what it throws ends the opening. */
  check?: (nc: NatsConnection) => Promise<void>
  /** Hears whether the server lets it in; absent: that goes to the log. */
  admission?: Admission
  log: Logger
}

/** One connection to NATS, and what its users must know of its state. */
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
  /** Runs an operation. @throws BusUnavailable at once when there is no connection, or it is lost */
  attempt<T>(operation: () => Promise<T>): Promise<T>
  /** Calls back at each loss and each return of the connection. @returns how to stop that */
  onChange(listener: (up: boolean) => void): () => void
  close(): Promise<void>
}

/** @throws BusUnavailable when no server answers; once connected, it reconnects for ever */
export const openLink = async (options: LinkOptions): Promise<Link> => {
  const inboxPrefix = options.inboxPrefix ?? '_INBOX'
  const refusals = createRefusals(options.admission ?? null)
  const rarely = createRareLog(options.log)
  const nc = await connect({
    servers: [...options.servers],
    name: options.name,
    inboxPrefix,
    ...(options.authenticator === undefined ? {} : { authenticator: options.authenticator }),
    // else the client does without where whoever answers offers none
    ...(options.servers.some((url) => url.startsWith('tls://')) ? { tls: {} } : {}),
    timeout: requestMsMax,
    pingInterval: pingMs,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => refusals.waitMs(),
    ignoreAuthErrorAbort: true,
    // a stack for each of thousands of requests a second
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
      if (now) options.log.info({ server: nc.getServer() }, 'nats is back')
      else options.log.warn({}, 'nats is away')
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
      if (!up) throw new BusUnavailable('nats is away')
      return new Promise((resolve, reject) => {
        // The client itself would wait for the end of the request's time.
        const stopListening = onChange((now) => {
          if (!now) reject(new BusUnavailable('nats went away'))
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
      // What was published and not yet written still goes out, where somebody takes it.
      if (up) await Promise.race([nc.flush().catch(() => undefined), wait(closeMsMax)])
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

/** The client wraps what refused a request, at most this deep. */
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
 * What a failed call on NATS means to a caller of the port: what may be asked again becomes
 * `BusUnavailable`, while a bug, wrong credentials or a missing permission stays what it is.
 */
export const unavailable = (error: unknown): unknown => {
  if (isOurs(error)) return error
  const violation = violationIn(error)
  if (violation !== null) return violation
  const message = error instanceof Error ? error.message : String(error)
  return new BusUnavailable(`nats: ${message}`, { cause: error })
}
