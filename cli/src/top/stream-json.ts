import { setTimeout as elapse } from 'node:timers/promises'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { createApiClient, type ApiClient } from '@probe-mesh/contracts/api/client'
import { connectionFailure } from '../api/connection-failure.ts'
import type { Failure } from '../api/failure.ts'
import { followEvents } from '../api/follow-events.ts'
import { boundedFetch } from '../api/open-api.ts'
import type { Settings } from '../api/settings.ts'
import type { Context } from '../terminal/context.ts'

/** Events queued while a snapshot is read; beyond this the oldest are dropped and counted. */
const queuedMax = 10_000
/** Raised when a field changes its meaning or is removed. */
const version = 1

/**
 * One JSON object per line: every check after each connection, then events as they come, until the
 * user quits. Events between `reconnecting` and the next snapshot are missing.
 * @returns null if the user quit, or why the API refused
 */
export const streamJson = async (
  context: Pick<Context, 'fetch' | 'now' | 'signal' | 'out'>,
  settings: Settings,
): Promise<Failure | null> => {
  const ended = new AbortController()
  const signal = anySignal([context.signal, ended.signal])
  const client = createApiClient({ ...settings, fetch: boundedFetch({ ...context, signal }) })
  const print = (line: object): void =>
    context.out.write(`${JSON.stringify({ version, at: new Date(context.now()).toISOString(), ...line })}\n`)
  let queued: object[] | null = null
  let dropped = 0
  const printInOrder = (line: object): void => {
    if (queued === null) return print(line)
    queued.push(line)
    if (queued.length > queuedMax) dropped += queued.splice(0, 1).length
  }
  const snapshot = async (): Promise<void> => {
    queued = []
    print(await readChecks(client, settings.apiUrl, signal))
    if (dropped > 0) print({ kind: 'dropped', count: dropped })
    const received = queued
    queued = null
    dropped = 0
    received.forEach(print)
  }
  try {
    return await followEvents({
      settings,
      fetch: context.fetch,
      now: context.now,
      signal,
      pause: (ms) => elapse(ms, undefined, { signal }),
      onEvent: printInOrder,
      onUnreadable: () => printInOrder({ kind: 'unreadable' }),
      onState: (state, why) => {
        printInOrder({ kind: 'connection', state, why })
        if (state === 'connected' && queued === null) void snapshot()
      },
    })
  } finally {
    ended.abort()
  }
}

const readChecks = async (client: ApiClient, apiUrl: string, signal: AbortSignal): Promise<object> => {
  try {
    const listed = await client.call('listChecks', {}, signal)
    return listed.ok
      ? { kind: 'snapshot', checks: listed.value.checks }
      : { kind: 'problem', problem: listed.problem }
  } catch (error) {
    if (signal.aborted) return { kind: 'ended' }
    return { kind: 'problem', problem: connectionFailure(error, apiUrl) }
  }
}
