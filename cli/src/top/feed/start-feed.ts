import { createApiClient, type ApiClient } from '@probe-mesh/contracts/api/client'
import { actOnLine } from '../../acts/act-line.ts'
import { boundedFetch, type Api } from '../../api/open-api.ts'
import type { Result } from '../../api/request.ts'
import { connectionFailure } from '../../api/connection-failure.ts'
import type { Failure } from '../../api/failure.ts'
import { followEvents } from '../../api/follow-events.ts'
import type { Settings } from '../../api/settings.ts'
import type { Context } from '../../terminal/context.ts'
import type { FeedEvent } from '../model/reduce.ts'
import type { TopState } from '../model/state.ts'
import { runReadLoop } from './read-loop.ts'

type FeedOptions = Pick<Context, 'fetch' | 'pause' | 'now' | 'signal'> & {
  settings: Settings
  state: () => TopState
  dispatch: (event: FeedEvent) => void
  silentMsMax?: number
  /** The account for acts, which reports nothing itself. */
  openForActs?: () => Promise<Result<Api>>
}

type Feed = {
  /** null at the signal, or why the API refuses this key; then the caller must abort the signal. */
  readonly ended: Promise<Failure | null>
  /** Measures a check now. */
  runNow(checkId: string): Promise<void>
  /** Does what a typed line says about a check, and reads the list again. */
  actOn(checkId: string, line: string): Promise<void>
}

/** Everything from the API: the event stream, and additional reads. */
export const startFeed = (options: FeedOptions): Feed => {
  const { settings, dispatch, signal, pause, now, silentMsMax } = options
  // without Idempotency-Key: a second run is intentional
  const client = createApiClient({ ...settings, fetch: boundedFetch(options) })
  const following = followEvents({
    settings,
    fetch: options.fetch,
    signal,
    pause,
    now,
    onEvent: (event) => dispatch({ kind: 'events', events: [event] }),
    onState: (state, why) => dispatch({ kind: 'connection', state, why }),
    onUnreadable: () => dispatch({ kind: 'dropped', count: 1 }),
    ...(silentMsMax === undefined ? {} : { silentMsMax }),
  })
  const reading = runReadLoop({ ...options, client, apiUrl: settings.apiUrl })
  return {
    ended: Promise.race([following, reading]),
    actOn: (checkId, line) => actOn(options, checkId, line),
    runNow: (checkId) => runNow({ client, dispatch, signal, apiUrl: settings.apiUrl }, checkId),
  }
}

const actOn = async (
  { dispatch, signal, openForActs, settings }: FeedOptions,
  checkId: string,
  line: string,
): Promise<void> => {
  if (openForActs === undefined) return
  dispatch({ kind: 'runStarted', checkId, act: line })
  try {
    const api = await openForActs()
    const done = api.ok ? await actOnLine(api.value, checkId, line) : api
    const told = done.ok ? done.value : done.failures.map(({ message }) => message).join(' ')
    dispatch({ kind: 'runEnded', said: told, isRefused: !done.ok })
    if (done.ok) dispatch({ kind: 'acted' })
  } catch (error) {
    if (signal.aborted) return
    dispatch({ kind: 'runEnded', said: connectionFailure(error, settings.apiUrl).message, isRefused: true })
  }
}

/** Measures a check once from every region, and reports the result. */
const runNow = async (
  {
    client,
    dispatch,
    signal,
    apiUrl,
  }: {
    client: ApiClient
    dispatch: (event: FeedEvent) => void
    signal: AbortSignal
    apiUrl: string
  },
  checkId: string,
): Promise<void> => {
  dispatch({ kind: 'runStarted', checkId, act: null })
  try {
    const answer = await client.call('runCheck', { params: { id: checkId } }, signal)
    if (!answer.ok) {
      const { message, code } = answer.problem
      dispatch({ kind: 'runEnded', said: `${message} (${code})`, isRefused: true })
      return
    }
    const { readings, unanswered } = answer.value
    const events = readings.map((reading) => ({
      kind: 'reading' as const,
      accountId: '',
      checkId,
      reading,
    }))
    dispatch({ kind: 'events', events })
    dispatch({ kind: 'runEnded', said: saidOf(readings, unanswered), isRefused: false })
  } catch (error) {
    if (signal.aborted) return
    dispatch({ kind: 'runEnded', said: connectionFailure(error, apiUrl).message, isRefused: true })
  }
}

const saidOf = (
  readings: readonly { verdict: string; region: string }[],
  unanswered: readonly string[],
): string => {
  const verdicts = ['up', 'down', 'blocked', 'unmeasured'].flatMap((verdict) => {
    const regions = readings.filter((reading) => reading.verdict === verdict)
    return regions.length === 0 ? [] : [`${verdict}: ${regions.map(({ region }) => region).join(', ')}`]
  })
  const silent = unanswered.length === 0 ? [] : [`no answer: ${unanswered.join(', ')}`]
  return `Measured now. ${[...verdicts, ...silent].join('; ') || 'No region answered'}.`
}
