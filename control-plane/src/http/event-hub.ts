import type { Writable } from 'node:stream'
import { AccountEvent, watchingMs } from '@probe-mesh/contracts/events'
import type { Watching } from '@probe-mesh/contracts/events'
import { limits } from '@probe-mesh/contracts/limits'
import { isRefusal } from '@probe-mesh/contracts/refusal'
import type { Events, Subscription } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { KeyOwner } from '../account/context.ts'
import { createEventStream } from './event-stream.ts'
import type { EventStream } from './event-stream.ts'
import type { KeyRing } from '../account/key-ring.ts'

/** Brings an account's events to those who watch it. */
export type EventHub = {
  start(): Promise<void>
  hasRoom(keyId: string): boolean
  /** Streams until the reader leaves, lags too far behind, its key is revoked, or the hub closes. */
  open(caller: KeyOwner, authorization: string | undefined, out: Writable): void
  size(): number
  close(): Promise<void>
}

type Open = { caller: KeyOwner; authorization: string | undefined; stream: EventStream }

export const createEventHub = (capabilities: {
  events: Pick<Events, 'subscribe' | 'publish'>
  keyRing: KeyRing
  log: Pick<Logger, 'warn'>
  onLagging: () => void
  heartbeatMs?: number
  /** How often a stream's key is asked for again. */
  recheckMs?: number
}): EventHub => {
  const { events, keyRing, log, onLagging } = capabilities
  const { heartbeatMs = 15_000, recheckMs = 5_000 } = capabilities
  const byAccount = new Map<string, Set<Open>>()
  const subscriptions: Subscription[] = []
  const timers: NodeJS.Timeout[] = []
  const all = (): Open[] => [...byAccount.values()].flatMap((streams) => [...streams])

  const onEvent = (payload: unknown): void => {
    if (byAccount.size === 0) return
    const parsed = AccountEvent.safeParse(payload)
    if (!parsed.success) {
      log.warn({ err: parsed.error }, 'an event could not be read')
      return
    }
    const streams = byAccount.get(parsed.data.accountId)
    if (streams === undefined) return
    const data = JSON.stringify(parsed.data)
    for (const { stream } of streams) stream.push(parsed.data.kind, data)
  }

  const sayWatching = (accountIds: string[]): void => {
    const watching: Watching = { accountIds }
    if (accountIds.length > 0) events.publish('watching', watching)
  }

  const recheck = async (open: Open): Promise<void> => {
    try {
      const caller = await keyRing.authenticate(open.authorization)
      if (isRefusal(caller)) open.stream.end()
    } catch (error) {
      // the database is away: the key was good, and the stream needs nothing of the database
      log.warn({ err: error }, 'the key of a stream could not be looked up')
    }
  }

  return {
    start: async () => {
      subscriptions.push(await events.subscribe('flip', onEvent))
      subscriptions.push(await events.subscribe('incident', onEvent))
      subscriptions.push(await events.subscribe('reading', onEvent))
      const beat = (): void => all().forEach(({ stream }) => stream.beat())
      const recheckAll = (): void => all().forEach((open) => void recheck(open))
      const sayAll = (): void => sayWatching([...byAccount.keys()])
      timers.push(
        setInterval(beat, heartbeatMs),
        setInterval(recheckAll, recheckMs),
        setInterval(sayAll, watchingMs),
      )
    },
    hasRoom: (keyId) =>
      all().filter(({ caller }) => caller.keyId === keyId).length < limits.eventStreamsPerKeyMax,
    open: (caller, authorization, out) => {
      const streams = byAccount.get(caller.accountId) ?? new Set()
      byAccount.set(caller.accountId, streams)
      const stream = createEventStream(out, {
        lagging: onLagging,
        closed: () => {
          streams.delete(open)
          if (streams.size === 0 && byAccount.get(caller.accountId) === streams) {
            byAccount.delete(caller.accountId)
          }
        },
      })
      const open: Open = { caller, authorization, stream }
      streams.add(open)
      sayWatching([caller.accountId])
      stream.beat()
    },
    size: () => all().length,
    close: async () => {
      timers.forEach(clearInterval)
      all().forEach(({ stream }) => stream.end())
      await Promise.all(subscriptions.map((subscription) => subscription.close()))
    },
  }
}
