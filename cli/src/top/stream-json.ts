import { setTimeout as elapse } from 'node:timers/promises'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import type { ApiClient } from '@probe-mesh/contracts/api/client'
import type { Failure } from '../api/failure.ts'
import { boundedFetch } from '../api/open-api.ts'
import { whyUnanswered } from '../api/why-unanswered.ts'
import { followEvents } from '../api/follow-events.ts'
import type { Settings } from '../api/settings.ts'
import type { World } from '../terminal/world.ts'

/** Events that come while a snapshot is read; of more, the oldest are dropped, and it is said. */
const heldMax = 10_000
/** Raised when a field changes its meaning or goes. */
const version = 1

/**
 * One JSON object a line: every check after each connection, then the events as they come, until the
 * user leaves. Lines between a `reconnecting` and the next snapshot are missing, not empty.
 * @returns null where the user left, or why the API refused
 */
export const streamJson = async (
  world: Pick<World, 'fetch' | 'now' | 'signal' | 'out'>,
  settings: Settings,
): Promise<Failure | null> => {
  const ended = new AbortController()
  const signal = anySignal([world.signal, ended.signal])
  const client = createApiClient({ ...settings, fetch: boundedFetch({ ...world, signal }) })
  const say = (line: object): void =>
    world.out.write(
      `${JSON.stringify({ version, at: new Date(world.now()).toISOString(), ...line })}\n`,
    )
  let held: object[] | null = null
  let dropped = 0
  const sayInOrder = (line: object): void => {
    if (held === null) return say(line)
    held.push(line)
    if (held.length > heldMax) dropped += held.splice(0, 1).length
  }
  const snapshot = async (): Promise<void> => {
    held = []
    say(await readChecks(client, settings.apiUrl, signal))
    if (dropped > 0) say({ kind: 'dropped', count: dropped })
    const came = held
    held = null
    dropped = 0
    came.forEach(say)
  }
  try {
    return await followEvents({
      settings,
      fetch: world.fetch,
      now: world.now,
      signal,
      pause: (ms) => elapse(ms, undefined, { signal }),
      onEvent: sayInOrder,
      onUnreadable: () => sayInOrder({ kind: 'unreadable' }),
      onState: (state, why) => {
        sayInOrder({ kind: 'connection', state, why })
        if (state === 'connected' && held === null) void snapshot()
      },
    })
  } finally {
    ended.abort()
  }
}

const readChecks = async (
  client: ApiClient,
  apiUrl: string,
  signal: AbortSignal,
): Promise<object> => {
  try {
    const listed = await client.call('listChecks', {}, signal)
    return listed.ok
      ? { kind: 'snapshot', checks: listed.value.checks }
      : { kind: 'problem', problem: listed.problem }
  } catch (error) {
    if (signal.aborted) return { kind: 'ended' }
    return { kind: 'problem', problem: whyUnanswered(error, apiUrl) }
  }
}
