import { backoffMs, fullJitter } from '@probe-mesh/runtime/backoff'
import { runLoop } from '@probe-mesh/runtime/loop'
import { retryAfterMs } from '@probe-mesh/runtime/retry-after'
import {
  relayEvents,
  relayPace,
  relayPrefix,
  type RelayEvent,
  type RelayEventName,
} from '@probe-mesh/contracts/agent/relay'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { Logger } from '../logger.ts'
import { BusUnavailable } from '../port.ts'
import type { Admission } from '../refusal.ts'
import { readEvents, type ServerEvent } from './read-events.ts'

/** A request without a response within this time counts as failed, ms. */
const requestMsMax = 10_000
const firstWaitMs = 500
const waitMsMax = 15_000
/** The longest wait of a refused agent. */
const refusedWaitMsMax = 120_000
/** After this many refusals in a row, the token of an agent that was admitted counts as revoked. */
const refusalsMax = 3
/** The longest wait that a response may ask for. */
const retryAfterMsMax = 600_000

type LineOptions = {
  /** Of the control planes, without a trailing slash. */
  url: string
  /** Read at each request, so that the token can be replaced while the agent runs. */
  token: () => string
  version: string
  /** Which installation it is. */
  instance?: string
  log: Logger
  fetch: typeof fetch
  /** In [0, 1) */
  random: () => number
  /** A stream is open, and sends everything from the beginning. */
  onOpen: () => void
  onEvent: <N extends RelayEventName>(name: N, event: RelayEvent<N>) => void
  /** Notified whether the control planes admit the agent; absent: that is logged. */
  admission?: Admission
}

/** The line to the control planes: one stream that is kept open, and separate requests. */
export type Line = {
  /** The session of the open stream; null while there is none. */
  session(): string | null
  /** @throws BusUnavailable when a retry may help, Error when the request is refused */
  post(path: string, body: string | Uint8Array): Promise<unknown>
  close(): Promise<void>
}

type LineState = LineOptions & {
  readonly closing: AbortController
  session: string | null
  /** In a row. */
  refusals: number
  /** Attempts in a row that opened no stream. */
  failures: number
  wasLetIn: boolean
}

export const openLine = (options: LineOptions): Line => {
  const closing = new AbortController()
  const state: LineState = {
    ...options,
    closing,
    session: null,
    refusals: 0,
    failures: 0,
    wasLetIn: false,
  }
  const keeping = runLoop({
    signal: closing.signal,
    round: async () => {
      const wasOpen = await follow(state).catch((error: unknown) => onAway(state, error))
      state.failures = wasOpen ? 0 : state.failures + 1
    },
    everyMs: () => {
      const bounds = {
        firstMs: firstWaitMs,
        maxMs: state.refusals > 0 ? refusedWaitMsMax : waitMsMax,
      }
      return fullJitter(backoffMs(bounds, state.failures + 1), options.random())
    },
    onError: (error) => {
      throw error
    },
  })
  return {
    session: () => state.session,
    post: (path, body) => post(state, path, body),
    close: async () => {
      closing.abort()
      await keeping
    },
  }
}

/** Follows one stream to its end. @returns whether it was opened */
const follow = async (state: LineState): Promise<boolean> => {
  const { url, version, instance, log, closing } = state
  const mine = crypto.randomUUID()
  const over = new AbortController()
  const signal = anySignal([over.signal, closing.signal])
  const silence = setTimeout(() => over.abort(), relayPace.silentMs)
  try {
    const body = JSON.stringify({ session: mine, version, instance })
    const response = await send(state, '/stream', body, signal)
    if (!response.ok || response.body === null) {
      await onRefused(state, response)
      return false
    }
    state.refusals = 0
    state.wasLetIn = true
    state.admission?.onLetIn()
    state.session = mine
    log.info({ url }, 'the relay is open')
    state.onOpen()
    for await (const event of readEvents(response.body)) {
      silence.refresh()
      if (event !== null) take(state, event)
    }
    return true
  } finally {
    clearTimeout(silence)
    over.abort()
    if (state.session === mine) state.session = null
  }
}

const send = (
  { url, token, fetch }: LineOptions,
  path: string,
  body: string | Uint8Array,
  signal: AbortSignal,
): Promise<Response> =>
  fetch(`${url}${relayPrefix}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token()}`,
      'content-type': 'application/json',
    },
    body: body as NonNullable<RequestInit['body']>,
    redirect: 'error',
    signal,
  })

const take = ({ onEvent, log }: LineOptions, { name, data }: ServerEvent): void => {
  if (!isKnown(name)) return
  const event = relayEvents[name].safeParse(parsed(data))
  if (event.success) onEvent(name, event.data as never)
  else log.warn({ name }, 'an event of the relay was not understood')
}

const onRefused = async (state: LineState, response: Response): Promise<void> => {
  const { admission, log } = state
  const said = await response.text().catch(() => '')
  const { status } = response
  if (status === 409 && admission !== undefined) {
    admission.onRefused({ how: 'held', text: messageIn(said) })
    return
  }
  if (status !== 401 && status !== 403) {
    log.warn({ status }, 'the relay does not open; retrying')
    admission?.onAway?.()
    return
  }
  state.refusals++
  const words = `the service refuses it (${status}): ${messageIn(said)}`
  // retries continue: the token file may be replaced, and the spool keeps the readings
  if (admission === undefined) {
    if (state.refusals === 1) log.error({ status }, words)
    return
  }
  const isOver = state.wasLetIn && state.refusals >= refusalsMax
  const how = status === 403 ? 'suspended' : isOver ? 'revoked' : 'refused'
  admission.onRefused({ how, text: words })
}

const onAway = (state: LineState, error: unknown): false => {
  if (!state.closing.signal.aborted) state.log.warn({ err: error }, 'the relay is temporarily unavailable')
  state.refusals = 0
  state.admission?.onAway?.()
  return false
}

const post = async (state: LineState, path: string, body: string | Uint8Array): Promise<unknown> => {
  const { closing } = state
  if (closing.signal.aborted) throw new BusUnavailable('the bus is closed')
  const signal = anySignal([closing.signal, AbortSignal.timeout(requestMsMax)])
  let response: Response
  let text: string
  try {
    response = await send(state, path, body, signal)
    text = await response.text()
  } catch (error) {
    throw new BusUnavailable('the relay is temporarily unavailable', { cause: error })
  }
  if (response.ok) return parsed(text)
  // the token may be replaced, and the database may return
  if (isPassing(response.status)) {
    const waitMs = waitMsOf(response)
    throw new BusUnavailable(`the relay answers ${response.status}`, { waitMs })
  }
  throw new Error(`the relay refuses ${path}: ${response.status} ${text.slice(0, 300)}`)
}

/** The message of a refusal, truncated. */
const messageIn = (said: string): string => {
  const { code, detail } = Object(parsed(said)) as { code?: unknown; detail?: unknown }
  const text = code === undefined ? said : `${String(code)} ${String(detail ?? '')}`
  return text.replaceAll(/\s+/g, ' ').slice(0, 300)
}

const isPassing = (status: number): boolean => status >= 500 || [401, 403, 404, 408, 429].includes(status)

/** The wait in `Retry-After`, which the control plane writes in seconds. */
const waitMsOf = ({ headers }: Response): number => {
  return retryAfterMs(headers.get('retry-after'), Date.now(), { maxMs: retryAfterMsMax }) ?? 0
}

const isKnown = (name: string): name is RelayEventName => Object.hasOwn(relayEvents, name)

const parsed = (text: string): unknown => {
  try {
    return parseForeignJson(text)
  } catch {
    return null
  }
}
