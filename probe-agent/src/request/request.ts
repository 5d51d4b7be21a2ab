import type { SecureContext } from 'node:tls'
import { limits } from '@probe-mesh/contracts/limits'
import { noTimings } from '@probe-mesh/contracts/timings'
import type { Timings } from '@probe-mesh/contracts/timings'
import { parseTarget } from '@probe-mesh/contracts/target'
import type { Target } from '@probe-mesh/contracts/target'
import { readBody } from './body.ts'
import { connect } from './connect.ts'
import type { Connection } from './connect.ts'
import { exchange } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { tooManyRedirects, unsafeTarget } from './failure.ts'
import { pinAddress } from './guard.ts'
import type { Guard, Pin } from './guard.ts'
import type { Failure, Outcome } from './outcome.ts'
import { redirectOf } from './redirect.ts'
import { roundMs } from './round.ts'
import { createStop } from './stop.ts'
import type { Stop } from './stop.ts'

export type RequestCapabilities = Guard & {
  trust: SecureContext
  userAgent: string
}

export type RequestInput = {
  url: string
  /** A redirect status that is itself the answer asked for is not followed. */
  isFinal(status: number): boolean
  /** Whether the answer will be judged by its body. */
  needsBody(status: number): boolean
  /** The attempt's one deadline, redirects included: aborted with a `TimeoutError` when reached. */
  signal: AbortSignal
  /** What that deadline is, for people. */
  deadlineMs: number
  /** The first connection stands or has failed: the costly part is over. May be called twice. */
  onConnected(): void
}

/** What is known of an attempt while it runs. */
type Attempt = {
  startedAt: number
  hops: number
  timings: Timings
  address: string | null
  certificateExpiresAt: number | null
  stop: Stop
}

/**
 * One http(s) request as a monitor must make it: every hop resolved, guarded and pinned on its own,
 * over a fresh connection, to at most three redirects, within one deadline.
 * @returns what became of it; a fault of the target is never thrown
 */
export const request = async (
  input: RequestInput,
  capabilities: RequestCapabilities,
): Promise<Outcome> => {
  const attempt: Attempt = {
    startedAt: performance.now(),
    hops: 0,
    timings: noTimings,
    address: null,
    certificateExpiresAt: null,
    stop: createStop(input.signal, input.deadlineMs),
  }
  try {
    let url = input.url
    for (;;) {
      const result = await hop(url, attempt, input, capabilities)
      if (!('next' in result)) return result
      url = result.next
      attempt.hops += 1
    }
  } finally {
    attempt.stop.close()
    input.onConnected()
  }
}

const failed = (attempt: Attempt, failure: Failure): Outcome => ({
  ok: false,
  ...failure,
  ...measured(attempt),
})

const measured = (
  { startedAt, timings, address, hops, certificateExpiresAt }: Attempt,
  endedAt = performance.now(),
) => ({ timings, latencyMs: roundMs(endedAt - startedAt), address, hops, certificateExpiresAt })

const hop = async (
  text: string,
  attempt: Attempt,
  input: RequestInput,
  capabilities: RequestCapabilities,
): Promise<Outcome | { next: string }> => {
  attempt.timings = { ...noTimings }
  attempt.address = null
  attempt.certificateExpiresAt = null
  const parsed = parseTarget(text, { allow: capabilities.allow })
  if (!parsed.ok) return failed(attempt, unsafeTarget)
  const { target } = parsed

  const resolvedAt = performance.now()
  const pinned = await unlessStopped(pinAddress(target, capabilities), attempt.stop)
  if (!pinned.ok) return failed(attempt, pinned.failure)
  if (target.literal === 0) attempt.timings.dnsMs = roundMs(performance.now() - resolvedAt)

  const connection = await connectTo(target, pinned.pin, attempt, capabilities)
  if ('failure' in connection) return failed(attempt, connection.failure)
  if (attempt.hops === 0) input.onConnected()
  try {
    return await converse(target, connection, attempt, input, capabilities)
  } finally {
    connection.socket.destroy()
  }
}

/** The wait for names ends with the attempt; the resolver bounds its own work. */
const unlessStopped = <T>(
  work: Promise<T>,
  stop: Stop,
): Promise<T | { ok: false; failure: Failure }> =>
  new Promise((resolve, reject) => {
    stop.during(() => resolve({ ok: false, failure: stop.failure('dns') }))
    work.then(resolve, reject)
  })

const connectTo = async (
  target: Target,
  pin: Pin,
  attempt: Attempt,
  { allow, trust }: RequestCapabilities,
): Promise<Connection | { failure: Failure }> => {
  const servername = target.literal === 0 ? target.host : ''
  const secure = target.url.protocol === 'https:' ? { servername, trust } : null
  const to = async (address: string) => {
    attempt.address = address
    const options = { local: allow.covers(address), stop: attempt.stop }
    const result = await connect({ address, port: target.port }, secure, options)
    attempt.timings.connectMs = result.connectMs
    attempt.certificateExpiresAt = result.certificateExpiresAt
    if ('tlsMs' in result) attempt.timings.tlsMs = result.tlsMs
    return result
  }
  const first = await to(pin.address)
  const unroutable = 'failure' in first && first.failure.cause === 'no_route'
  return unroutable && pin.withoutIpv4 !== null ? to(pin.withoutIpv4) : first
}

const converse = async (
  { url, host, literal }: Target,
  { socket }: Connection,
  attempt: Attempt,
  input: RequestInput,
  { allow, userAgent }: RequestCapabilities,
): Promise<Outcome | { next: string }> => {
  const { stop, timings } = attempt
  const port = url.port === '' ? '' : `:${url.port}`
  const line = {
    hostHeader: `${literal === 6 ? `[${host}]` : host}${port}`,
    path: `${url.pathname}${url.search}`,
    userAgent,
  }
  const local = attempt.address !== null && allow.covers(attempt.address)
  const exchanged = await exchange(socket, line, { local, stop })
  if ('cause' in exchanged) return failed(attempt, exchanged)
  timings.ttfbMs = exchanged.ttfbMs

  const redirect = redirectOf(exchanged.response, url, input.isFinal)
  if (redirect !== null) {
    if (!redirect.ok) return failed(attempt, redirect.failure)
    if (attempt.hops >= limits.redirectHopsMax) return failed(attempt, tooManyRedirects)
    return { next: redirect.location }
  }
  return answer(exchanged, attempt, input, local)
}

const answer = async (
  exchanged: Exchange,
  attempt: Attempt,
  { needsBody }: RequestInput,
  local: boolean,
): Promise<Outcome> => {
  const { response } = exchanged
  const status = response.statusCode ?? 0
  const headAt = performance.now()
  const read = await readBody(exchanged, { keep: needsBody(status), local, stop: attempt.stop })
  if (!read.ok) return failed(attempt, read.failure)
  attempt.timings.transferMs = roundMs(read.endedAt - headAt)
  const { headers } = response
  return { ok: true, status, headers, body: read.body, ...measured(attempt, read.endedAt) }
}
