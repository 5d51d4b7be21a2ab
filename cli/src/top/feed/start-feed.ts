import { createApiClient } from '@probe-mesh/contracts/client'
import type { ApiClient } from '@probe-mesh/contracts/client'
import type { Failure } from '../../api/failure.ts'
import { followEvents } from '../../api/follow-events.ts'
import { boundedFetch } from '../../api/open-api.ts'
import type { Settings } from '../../api/settings.ts'
import { whyUnanswered } from '../../api/why-unanswered.ts'
import type { World } from '../../terminal/world.ts'
import type { FeedEvent } from '../model/reduce.ts'
import type { TopState } from '../model/state.ts'
import { keepReading } from './keep-reading.ts'

type FeedMeans = Pick<World, 'fetch' | 'pause' | 'now' | 'signal'> & {
  settings: Settings
  state: () => TopState
  visible: () => readonly string[]
  tell: (event: FeedEvent) => void
  silentMsMax?: number
}

type Feed = {
  /** null at the signal, or why the API refuses this key; then the signal is to be given. */
  readonly ended: Promise<Failure | null>
  /** Measures a check now. The only write there is. */
  runNow(checkId: string): Promise<void>
}

/** Everything that comes from the API: the stream, and what is read beside it. */
export const startFeed = (means: FeedMeans): Feed => {
  const { settings, tell, signal, pause, now, silentMsMax } = means
  // without keys of idempotency: a second run is meant as one
  const client = createApiClient({ ...settings, fetch: boundedFetch(means) })
  const following = followEvents({
    settings,
    fetch: means.fetch,
    signal,
    pause,
    now,
    onEvent: (event) => tell({ kind: 'told', events: [event] }),
    onState: (state, why) => tell({ kind: 'connection', state, why }),
    onUnreadable: () => tell({ kind: 'dropped', count: 1 }),
    ...(silentMsMax === undefined ? {} : { silentMsMax }),
  })
  const reading = keepReading({ ...means, client, apiUrl: settings.apiUrl })
  return {
    ended: Promise.race([following, reading]),
    runNow: (checkId) => runNow({ client, tell, signal, apiUrl: settings.apiUrl }, checkId),
  }
}

/** Has a check measured once from every region, and tells what came of it. */
const runNow = async (
  {
    client,
    tell,
    signal,
    apiUrl,
  }: {
    client: ApiClient
    tell: (event: FeedEvent) => void
    signal: AbortSignal
    apiUrl: string
  },
  checkId: string,
): Promise<void> => {
  tell({ kind: 'runStarted', checkId })
  try {
    const answer = await client.call('runCheck', { params: { id: checkId } }, signal)
    if (!answer.ok) {
      const { message, code } = answer.problem
      tell({ kind: 'runEnded', said: `${message} (${code})`, isRefused: true })
      return
    }
    const { readings, unanswered } = answer.value
    const events = readings.map((reading) => ({
      kind: 'reading' as const,
      accountId: '',
      checkId,
      reading,
    }))
    tell({ kind: 'told', events })
    tell({ kind: 'runEnded', said: saidOf(readings, unanswered), isRefused: false })
  } catch (error) {
    if (signal.aborted) return
    tell({ kind: 'runEnded', said: whyUnanswered(error, apiUrl).message, isRefused: true })
  }
}

const saidOf = (
  readings: readonly { verdict: string; region: string }[],
  unanswered: readonly string[],
): string => {
  const verdicts = ['up', 'down', 'blocked', 'unmeasured'].flatMap((verdict) => {
    const regions = readings.filter((reading) => reading.verdict === verdict)
    return regions.length === 0
      ? []
      : [`${verdict}: ${regions.map(({ region }) => region).join(', ')}`]
  })
  const silent = unanswered.length === 0 ? [] : [`no answer: ${unanswered.join(', ')}`]
  return `Measured now. ${[...verdicts, ...silent].join('; ') || 'No region answered'}.`
}
