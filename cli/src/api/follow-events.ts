import { backoffMs, halfJitter } from '@probe-mesh/runtime/backoff'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { eventsRoute } from '@probe-mesh/contracts/api/routes'
import { createParser } from 'eventsource-parser'
import { retryAfterSecondsOf } from '../apply/retry-after.ts'
import type { World } from '../terminal/world.ts'
import type { Failure } from './failure.ts'
import type { Settings } from './settings.ts'
import { whyUnanswered } from './why-unanswered.ts'

/** The API sends at least a comment every 15 s: a connection this silent is none. */
const silentMsDefault = 40_000
/** Of one event that has not ended yet. */
const bufferCharactersMax = 1024 * 1024
const problemBytesMax = 64 * 1024
const waits = { firstMs: 500, maxMs: 30_000 }
/** A connection that lived this long was a good one: the next wait is short again. */
const goodMs = 10_000
const retryAfterSecondsMax = 300

export type Following = {
  settings: Settings
  fetch: typeof fetch
  signal: AbortSignal
  onEvent: (event: AccountEvent) => void
  /** Told of every connection made and lost. @param why in a sentence, where it was lost */
  onState: (state: 'connected' | 'reconnecting', why: string | null) => void
  /** Told of each event that cannot be read, such as one of a newer API. */
  onUnreadable?: () => void
  pause: World['pause']
  now: World['now']
  /** From 0 to 1, for the jitter. */
  random?: () => number
  silentMsMax?: number
}

/** `followEvents`, for whoever is given it. */
export type FollowEvents = (following: Following) => Promise<Failure | null>

type Ended =
  | { kind: 'refused'; failure: Failure }
  | { kind: 'lost'; why: string; waitSeconds: number | null }

/**
 * Follows `GET /v1/events` until the signal: connects again after every loss, with growing, jittered
 * waits, or as long as a 429 asks for. What was told while there was no connection is not told again:
 * whoever shows a state reads it anew on `connected`.
 * @returns null at the signal, or why the API will not stream to this key
 */
export const followEvents: FollowEvents = async (options) => {
  const { signal, onState, pause, now, random = Math.random } = options
  let losses = 0
  while (!signal.aborted) {
    const startedMs = now()
    const ended = await followOnce(options)
    if (signal.aborted) break
    if (ended.kind === 'refused') return ended.failure
    losses = now() - startedMs >= goodMs ? 1 : losses + 1
    onState('reconnecting', ended.why)
    const waitMs =
      ended.waitSeconds === null
        ? halfJitter(backoffMs(waits, losses), random())
        : ended.waitSeconds * 1000
    await pause(waitMs).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
  return null
}

/** One connection, from its request to its end. */
const followOnce = async (options: Following): Promise<Ended> => {
  const { settings, signal, fetch: send, silentMsMax = silentMsDefault } = options
  const silent = new AbortController()
  const silence = setTimeout(() => silent.abort(), silentMsMax)
  try {
    const response = await send(`${settings.apiUrl}${eventsRoute.path}`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${settings.apiKey}` },
      redirect: 'error',
      signal: anySignal([signal, silent.signal]),
    })
    if (!response.ok) return await whyRefused(response)
    const { body } = response
    if (body === null || !isEventStream(response)) {
      await body?.cancel()
      return lost('what answers there sends no events')
    }
    options.onState('connected', null)
    await readEvents(body, options, () => silence.refresh())
    return lost('the API ended the stream')
  } catch (error) {
    if (signal.aborted) return lost('ended')
    if (silent.signal.aborted) return lost(`nothing was heard for ${silentMsMax / 1000} s`)
    return lost(whyUnanswered(error, settings.apiUrl).message)
  } finally {
    clearTimeout(silence)
    silent.abort()
  }
}

const lost = (why: string, waitSeconds: number | null = null): Ended => ({
  kind: 'lost',
  why,
  waitSeconds,
})

const isEventStream = ({ headers }: Response): boolean =>
  (headers.get('content-type') ?? '').startsWith('text/event-stream')

/** @param onHeard told of every chunk, comments too */
const readEvents = async (
  body: NonNullable<Response['body']>,
  { onEvent, onUnreadable }: Pick<Following, 'onEvent' | 'onUnreadable'>,
  onHeard: () => void,
): Promise<void> => {
  const decoder = new TextDecoder()
  const parser = createParser({
    maxBufferSize: bufferCharactersMax,
    onEvent: ({ event, data }) => {
      // the stream ends after it, since too much was left unread
      if (event === 'lagging') return
      const parsed = AccountEvent.safeParse(toJson(data))
      if (parsed.success) onEvent(parsed.data)
      else onUnreadable?.()
    },
    onError: (cause) => {
      if (cause.type === 'max-buffer-size-exceeded') {
        throw new Error('an event is longer than any may be', { cause })
      }
    },
  })
  for await (const chunk of body) {
    onHeard()
    parser.feed(decoder.decode(chunk, { stream: true }))
  }
}

const toJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What 429 and 5xx ask for is another attempt; any other refusal stays as it is. */
const whyRefused = async (response: Response): Promise<Ended> => {
  const problem = Problem.safeParse(toJson(await textOf(response)))
  const { status, headers } = response
  const why = problem.success ? problem.data.message : `it answered ${status}`
  if (status === 429) {
    const seconds = retryAfterSecondsOf(headers)
    return lost(why, seconds === null ? null : Math.min(seconds, retryAfterSecondsMax))
  }
  if (status >= 500) return lost(why)
  const failure = problem.success
    ? problem.data
    : { message: `${response.url} answered ${status}, which is no answer of the API.` }
  return { kind: 'refused', failure }
}

const textOf = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  if (body === null) return text
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > problemBytesMax) break
  }
  return text
}
