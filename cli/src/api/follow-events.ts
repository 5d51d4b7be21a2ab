import { runLoop } from '@probe-mesh/runtime/loop'
import { backoffMs, halfJitter } from '@probe-mesh/runtime/backoff'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { eventsRoute } from '@probe-mesh/contracts/api/routes'
import { createParser } from 'eventsource-parser'
import { retryAfterSecondsOf } from '../apply/repeatable.ts'
import type { Context } from '../terminal/context.ts'
import { connectionFailure } from './connection-failure.ts'
import type { Failure } from './failure.ts'
import type { Settings } from './settings.ts'

/** The API sends at least a comment every 15 s: a connection that is silent for longer is dead. */
const silentMsDefault = 40_000
/** Limit of one unfinished event. */
const bufferCharactersMax = 1024 * 1024
const problemBytesMax = 64 * 1024
const waits = { firstMs: 500, maxMs: 30_000 }
/** After a connection of this length, the next wait is short again. */
const goodMs = 10_000
const retryAfterSecondsMax = 300

export type Following = {
  settings: Settings
  fetch: typeof fetch
  signal: AbortSignal
  onEvent: (event: AccountEvent) => void
  /** Called for every connection opened and lost. @param why one sentence if it was lost */
  onState: (state: 'connected' | 'reconnecting', why: string | null) => void
  /** Called for each event that cannot be read, such as one of a newer API. */
  onUnreadable?: () => void
  pause: Context['pause']
  now: Context['now']
  /** From 0 to 1, for the jitter. */
  random?: () => number
  silentMsMax?: number
}

/** The type of `followEvents`, for injection. */
export type FollowEvents = (following: Following) => Promise<Failure | null>

type Ended = { kind: 'refused'; failure: Failure } | { kind: 'lost'; why: string; waitSeconds: number | null }

/**
 * Follows `GET /v1/events` until the signal. Reconnects after every loss with growing, jittered
 * waits, or as a 429 requires. Events during a disconnection are not repeated: callers read their
 * state again on `connected`.
 * @returns null at the signal, or why the API refuses to stream to this key
 */
export const followEvents: FollowEvents = async (options) => {
  const { signal, onState, pause, now, random = Math.random } = options
  let losses = 0
  let waitMs = 0
  let failure: Failure | null = null
  await runLoop({
    signal,
    everyMs: () => waitMs,
    round: async () => {
      const startedMs = now()
      const ended = await followOnce(options)
      if (signal.aborted) return 'end'
      if (ended.kind === 'refused') {
        failure = ended.failure
        return 'end'
      }
      losses = now() - startedMs >= goodMs ? 1 : losses + 1
      onState('reconnecting', ended.why)
      waitMs =
        ended.waitSeconds === null ? halfJitter(backoffMs(waits, losses), random()) : ended.waitSeconds * 1000
      return
    },
    onError: (error) => {
      throw error
    },
    pause: (ms) =>
      pause(ms).catch((error: unknown) => {
        if (!signal.aborted) throw error
      }),
  })
  return failure
}

/** One connection, from request to end. */
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
      return lost('the server does not send events')
    }
    options.onState('connected', null)
    await readEvents(body, options, () => silence.refresh())
    return lost('the API closed the stream')
  } catch (error) {
    if (signal.aborted) return lost('ended')
    if (silent.signal.aborted) return lost(`no data for ${silentMsMax / 1000} s`)
    return lost(connectionFailure(error, settings.apiUrl).message)
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

/** @param onHeard called for every chunk, including comments */
const readEvents = async (
  body: NonNullable<Response['body']>,
  { onEvent, onUnreadable }: Pick<Following, 'onEvent' | 'onUnreadable'>,
  onHeard: () => void,
): Promise<void> => {
  const decoder = new TextDecoder()
  const parser = createParser({
    maxBufferSize: bufferCharactersMax,
    onEvent: ({ event, data }) => {
      // the API ends the stream after it, because the client is too slow
      if (event === 'lagging') return
      const parsed = AccountEvent.safeParse(toJson(data))
      if (parsed.success) onEvent(parsed.data)
      else onUnreadable?.()
    },
    onError: (cause) => {
      if (cause.type === 'max-buffer-size-exceeded') {
        throw new Error('an event exceeds the size limit', { cause })
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

/** Retries after 429 and 5xx; any other refusal is final. */
const whyRefused = async (response: Response): Promise<Ended> => {
  const problem = Problem.safeParse(toJson(await textOf(response)))
  const { status, headers } = response
  const why = problem.success ? problem.data.message : `the server answered ${status}`
  if (status === 429) {
    const seconds = retryAfterSecondsOf(headers)
    return lost(why, seconds === null ? null : Math.min(seconds, retryAfterSecondsMax))
  }
  if (status >= 500) return lost(why)
  const failure = problem.success
    ? problem.data
    : { message: `${response.url} answered ${status}, which is not an API answer.` }
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
