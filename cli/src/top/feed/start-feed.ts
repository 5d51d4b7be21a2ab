import { createApiClient } from '@probe-mesh/contracts/api/client'
import { boundedFetch } from '../../api/open-api.ts'
import type { Failure } from '../../api/failure.ts'
import { followEvents } from '../../api/follow-events.ts'
import type { Settings } from '../../api/settings.ts'
import type { World } from '../../terminal/world.ts'
import type { FeedEvent } from '../model/reduce.ts'
import type { TopState } from '../model/state.ts'
import { keepReading } from './keep-reading.ts'
import { runNow } from './run-now.ts'

export type FeedMeans = Pick<World, 'fetch' | 'pause' | 'now' | 'signal'> & {
  settings: Settings
  state: () => TopState
  visible: () => readonly string[]
  tell: (event: FeedEvent) => void
  silentMsMax?: number
}

export type Feed = {
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
