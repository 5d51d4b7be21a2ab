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
  /** The stream is lost, and will be reopened. */
  onLost: () => void
  /** Notified whether the control planes admit the agent; absent: that is logged. */
  admission?: Admission
}

/** The line to the control planes: one stream that is kept open, and separate requests. */
type Line = {
  /** The session of the open stream; null while there is none. */
  session(): string | null
  /** @throws BusUnavailable when a retry may help, Error when the request is refused */
  post(path: string, body: string | Uint8Array): Promise<unknown>
  close(): Promise<void>
}

export const openLine = (options: LineOptions): Line => {
  const { url, log } = options
  const closing = new AbortController()
  let session: string | null = null
  let refusals = 0
  let wasLetIn = false

  const send = (path: string, body: string | Uint8Array, signal: AbortSignal): Promise<Response> =>
    options.fetch(`${url}${relayPrefix}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${options.token()}`,
        'content-type': 'application/json',
      },
      body: body as NonNullable<RequestInit['body']>,
      redirect: 'error',
      signal,
    })

  /** Follows one stream to its end. @returns whether it was opened */
  const follow = async (): Promise<boolean> => {
    const mine = crypto.randomUUID()
    const over = new AbortController()
    const signal = anySignal([over.signal, closing.signal])
    const silence = setTimeout(() => over.abort(), relayPace.silentMs)
    try {
      const { version, instance } = options
      const body = JSON.stringify({ session: mine, version, instance })
      const response = await send('/stream', body, signal)
      if (!response.ok || response.body === null) {
        await refusedWith(response)
        return false
      }
      refusals = 0
      wasLetIn = true
      options.admission?.onLetIn()
      session = mine
      log.info({ url }, 'the relay is open')
      options.onOpen()
      for await (const event of readEvents(response.body)) {
        silence.refresh()
        if (event !== null) take(event)
      }
      return true
    } finally {
      clearTimeout(silence)
      over.abort()
      if (session === mine) {
        session = null
        options.onLost()
      }
    }
  }
  const refusedWith = async (response: Response): Promise<void> => {
    const said = await response.text().catch(() => '')
    const { status } = response
    if (status === 409 && options.admission !== undefined) {
      options.admission.onRefused({ how: 'held', text: messageIn(said) })
      return
    }
    if (status !== 401 && status !== 403) {
      log.warn({ status }, 'the relay does not open; retrying')
      options.admission?.onAway?.()
      return
    }
    refusals++
    const words = `the service refuses it (${status}): ${messageIn(said)}`
    // retries continue: the token file may be replaced, and the spool keeps the readings
    if (options.admission === undefined) {
      if (refusals === 1) log.error({ status }, words)
      return
    }
    const isOver = wasLetIn && refusals >= refusalsMax
    const how = status === 403 ? 'suspended' : isOver ? 'revoked' : 'refused'
    options.admission.onRefused({ how, text: words })
  }
  const take = ({ name, data }: ServerEvent): void => {
    if (!isKnown(name)) return
    const event = relayEvents[name].safeParse(parsed(data))
    if (event.success) options.onEvent(name, event.data as never)
    else log.warn({ name }, 'an event of the relay was not understood')
  }

  let failures = 0
  const keeping = runLoop({
    signal: closing.signal,
    round: async () => {
      const wasOpen = await follow().catch((error: unknown) => {
        if (!closing.signal.aborted) log.warn({ err: error }, 'the relay is temporarily unavailable')
        refusals = 0
        options.admission?.onAway?.()
        return false
      })
      failures = wasOpen ? 0 : failures + 1
    },
    everyMs: () => {
      const bounds = {
        firstMs: firstWaitMs,
        maxMs: refusals > 0 ? refusedWaitMsMax : waitMsMax,
      }
      return fullJitter(backoffMs(bounds, failures + 1), options.random())
    },
    onError: (error) => {
      throw error
    },
  })

  return {
    session: () => session,
    post: async (path, body) => {
      if (closing.signal.aborted) throw new BusUnavailable('the bus is closed')
      const signal = anySignal([closing.signal, AbortSignal.timeout(requestMsMax)])
      let response: Response
      let text: string
      try {
        response = await send(path, body, signal)
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
    },
    close: async () => {
      closing.abort()
      await keeping
    },
  }
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
