import { relayEvents, relayPace, relayPrefix } from '@probe-mesh/contracts/agent/relay'
import type { RelayEvent, RelayEventName } from '@probe-mesh/contracts/agent/relay'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { Logger } from '../logger.ts'
import { pause } from '../pause.ts'
import { BusUnavailable } from '../port.ts'
import type { Admission } from '../refusal.ts'
import { readEvents } from './read-events.ts'
import type { ServerEvent } from './read-events.ts'

/** A request that is not answered within this time counts as not taken, ms. */
const requestMsMax = 10_000
const firstWaitMs = 500
const waitMsMax = 15_000
/** One that is not let in comes again so rarely in the end. */
const refusedWaitMsMax = 120_000
/** After so many refusals in a row of one that was let in, its token counts no more. */
const refusalsMax = 3
/** No answer makes an agent wait for longer. */
const retryAfterMsMax = 600_000

type LineOptions = {
  /** Of the control planes, without a slash at its end. */
  url: string
  /** Read anew at each request, so that a token can be changed under the agent. */
  token: () => string
  version: string
  /** Which installation it is. */
  instance?: string
  log: Logger
  fetch: typeof fetch
  /** In [0, 1) */
  random: () => number
  /** A stream is open: what it tells begins from nothing. */
  onOpen: () => void
  onEvent: <N extends RelayEventName>(name: N, event: RelayEvent<N>) => void
  /** The stream is lost, and is opened again. */
  onLost: () => void
  /** Hears whether the control planes let it in; absent: the log does. */
  admission?: Admission
}

/** The line to the control planes: one stream that is kept open, and requests beside it. */
type Line = {
  /** The session of the stream that is open; null while there is none. */
  session(): string | null
  /** @throws BusUnavailable where it was not taken and may be sent again, Error where it is refused */
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
      log.warn({ status }, 'the relay does not open yet')
      options.admission?.onAway?.()
      return
    }
    refusals++
    const words = `the service does not let it in (${status}): ${messageIn(said)}`
    // tried on: the token's file may be changed, and what was measured is kept
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

  const keepOpen = async (): Promise<void> => {
    let waitMs = firstWaitMs
    while (!closing.signal.aborted) {
      const wasOpen = await follow().catch((error: unknown) => {
        if (!closing.signal.aborted) log.warn({ err: error }, 'the relay is away')
        refusals = 0
        options.admission?.onAway?.()
        return false
      })
      const bound = refusals > 0 ? refusedWaitMsMax : waitMsMax
      waitMs = wasOpen ? firstWaitMs : Math.min(2 * waitMs, bound)
      await pause(options.random() * waitMs, closing.signal)
    }
  }
  const keeping = keepOpen()

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
        throw new BusUnavailable('the relay is away', { cause: error })
      }
      if (response.ok) return parsed(text)
      // a token may be changed under it, a store may come back
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

/** What a refusal of the API says, cut. */
const messageIn = (said: string): string => {
  const { code, detail } = Object(parsed(said)) as { code?: unknown; detail?: unknown }
  const text = code === undefined ? said : `${String(code)} ${String(detail ?? '')}`
  return text.replaceAll(/\s+/g, ' ').slice(0, 300)
}

const isPassing = (status: number): boolean =>
  status >= 500 || [401, 403, 404, 408, 429].includes(status)

/** What `Retry-After` asks for, in seconds as the control plane writes it. */
const waitMsOf = ({ headers }: Response): number => {
  const seconds = Number(headers.get('retry-after') ?? 0)
  return seconds > 0 ? Math.min(seconds * 1_000, retryAfterMsMax) : 0
}

const isKnown = (name: string): name is RelayEventName => Object.hasOwn(relayEvents, name)

const parsed = (text: string): unknown => {
  try {
    return parseForeignJson(text)
  } catch {
    return null
  }
}
