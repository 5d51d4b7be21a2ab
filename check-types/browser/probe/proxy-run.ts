import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Phase } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'

/** Limits of one page in the proxy: all connections, and bytes in both directions. */
export type ProxyBounds = { connectionsMax: number; bytesMax: number }

export const proxyBoundsDefault: ProxyBounds = {
  connectionsMax: 1_000,
  bytesMax: 30 * 1024 * 1024,
}

/** Progress of the latest connection to one `host:port`. Durations in ms. */
export type Reached = {
  phase: Extract<Phase, 'dns' | 'connect' | 'ttfb'>
  dnsMs: number | null
  connectMs: number | null
  address: string | null
  /** Addresses without a route. */
  unroutable: string[]
  /** Why there is no connection, or no answer over it. */
  failure: Failure | null
}

/** One run's part of the proxy: its credential, its connections and its limits. */
export type ProxyRun = {
  readonly username: string
  readonly password: string
  /** Aborted when the run ends. */
  readonly signal: AbortSignal
  readonly bytesMax: number
  /** Requests that were refused. */
  readonly refused: number
  /** Whether the page reached a limit: missing content may not have been loaded. */
  readonly isOverLimit: boolean
  isPassword(password: string): boolean
  /**
   * Counts a new connection.
   * @returns null over the limit
   */
  begin(authority: string): Reached | null
  refuse(): void
  /** Records a request that was not sent because of a limit of the probe. */
  meetBound(): void
  /** The latest connection to a `host:port`, names in lower case. */
  reached(authority: string): Reached | null
  /** Counts traffic; over the limit it ends all streams of the run. */
  count(bytes: number): void
  /** Destroys the stream with the run. */
  own(stream: Duplex): void
  /** A signature that distinguishes an answer of the proxy itself from the target's. */
  sign(failure: Failure): string
  failureOf(signature: string): Failure | null
  close(): void
}

const authoritiesMax = 1_000

export const createProxyRun = (bounds: ProxyBounds, onClose: () => void): ProxyRun => {
  const password = randomBytes(24).toString('base64url')
  const secret = Buffer.from(password)
  const controller = new AbortController()
  const streams = new Set<Duplex>()
  const authorities = new Map<string, Reached>()
  const signed = new Map<string, Failure>()
  let connections = 0
  let bytes = 0
  let refused = 0
  let isOverLimit = false
  let hasMetBound = false

  const destroyStreams = (): void => {
    for (const stream of streams) stream.destroy()
    streams.clear()
  }
  return {
    username: randomBytes(12).toString('base64url'),
    password,
    signal: controller.signal,
    bytesMax: bounds.bytesMax,
    get refused() {
      return refused
    },
    get isOverLimit() {
      return isOverLimit || hasMetBound
    },
    isPassword: (given) => {
      const bytes = Buffer.from(given)
      return bytes.length === secret.length && timingSafeEqual(bytes, secret)
    },
    begin: (authority) => {
      connections += 1
      if (connections > bounds.connectionsMax) isOverLimit = true
      if (isOverLimit || controller.signal.aborted) return null
      const begun: Reached = {
        phase: 'dns',
        dnsMs: null,
        connectMs: null,
        address: null,
        unroutable: [],
        failure: null,
      }
      if (authorities.size < authoritiesMax || authorities.has(authority)) {
        authorities.set(authority, begun)
      }
      return begun
    },
    refuse: () => {
      refused += 1
    },
    meetBound: () => {
      hasMetBound = true
    },
    reached: (authority) => authorities.get(authority) ?? null,
    count: (more) => {
      bytes += more
      if (bytes <= bounds.bytesMax || isOverLimit) return
      isOverLimit = true
      destroyStreams()
    },
    own: (stream) => {
      if (controller.signal.aborted) return void stream.destroy()
      if (streams.has(stream)) return
      streams.add(stream)
      stream.once('close', () => streams.delete(stream))
    },
    sign: (failure) => {
      const signature = randomBytes(12).toString('base64url')
      if (signed.size < bounds.connectionsMax) signed.set(signature, failure)
      return signature
    },
    failureOf: (signature) => signed.get(signature) ?? null,
    close: () => {
      controller.abort()
      destroyStreams()
      onClose()
    },
  }
}
