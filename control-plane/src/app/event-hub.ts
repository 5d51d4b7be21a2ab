import type { Writable } from 'node:stream'
import { AccountEvent, watchingMs } from '@probe-mesh/contracts/mesh/events'
import type { Watching } from '@probe-mesh/contracts/mesh/events'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Place } from '@probe-mesh/runtime/fair-pool'
import type { Events, Subscription } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { FlooredPlaces } from '@probe-mesh/runtime/account-turns'
import { createEventStream } from '../http/event-stream.ts'
import type { EventStream } from '../http/event-stream.ts'

/** Who watches an account, and by what right. */
export type Watcher = {
  accountId: string
  /** The key or session: it holds so many streams and no more. */
  ownerId: string
  /** What is sent; undefined sends all. */
  kinds?: readonly AccountEvent['kind'][] | undefined
  /** The heartbeat as an event, for readers that see no comments: a browser's `EventSource`. */
  beatsAsEvent?: boolean
  /** Whether the key or session still holds. @throws where that cannot be looked up for now */
  stillHolds(): Promise<boolean>
}

/** Brings an account's events to those who watch it. */
export type EventHub = {
  start(): Promise<void>
  /** A place for one more stream, or who has as many as may be: the key or session, the account, all. */
  enter(who: Pick<Watcher, 'accountId' | 'ownerId'>): Place | 'owner' | 'share' | 'all'
  /** Streams until the reader leaves, lags too far behind, its key or session ends, or the hub closes. */
  open(watcher: Watcher, out: Writable, place: Place): void
  size(): number
  close(): Promise<void>
}

type Open = { watcher: Watcher; stream: EventStream }

const wants = ({ watcher }: Open, kind: AccountEvent['kind']): boolean =>
  watcher.kinds?.includes(kind) ?? true

export const createEventHub = (capabilities: {
  events: Pick<Events, 'subscribe' | 'publish'>
  log: Pick<Logger, 'warn'>
  onLagging: () => void
  heartbeatMs?: number
  /** How often it is asked whether the right to a stream still holds. */
  recheckMs?: number
  places: FlooredPlaces
}): EventHub => {
  const { events, log, onLagging, places } = capabilities
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
    for (const open of streams) {
      if (wants(open, parsed.data.kind)) open.stream.push(parsed.data.kind, data)
    }
  }

  /** Readings are told to nobody else. */
  const sayWatching = (opens: readonly Open[]): void => {
    const wanted = opens.filter((open) => wants(open, 'reading'))
    const accountIds = [...new Set(wanted.map(({ watcher }) => watcher.accountId))]
    const watching: Watching = { accountIds }
    if (accountIds.length > 0) events.publish('watching', watching)
  }

  const recheck = async (open: Open): Promise<void> => {
    try {
      if (!(await open.watcher.stillHolds())) open.stream.end()
    } catch (error) {
      // the database is away: the right was good, and the stream needs nothing of the database
      log.warn({ err: error }, 'the key or session of a stream could not be looked up')
    }
  }

  return {
    start: async () => {
      subscriptions.push(await events.subscribe('flip', onEvent))
      subscriptions.push(await events.subscribe('incident', onEvent))
      subscriptions.push(await events.subscribe('reading', onEvent))
      const beat = (): void => all().forEach(({ stream }) => stream.beat())
      const recheckAll = (): void => all().forEach((open) => void recheck(open))
      const sayAll = (): void => sayWatching(all())
      timers.push(
        setInterval(beat, heartbeatMs),
        setInterval(recheckAll, recheckMs),
        setInterval(sayAll, watchingMs),
      )
    },
    enter: ({ accountId, ownerId }) => {
      const own = [...(byAccount.get(accountId) ?? [])].filter(
        ({ watcher }) => watcher.ownerId === ownerId,
      )
      return own.length < limits.eventStreamsPerOwnerMax ? places.take(accountId) : 'owner'
    },
    open: (watcher, out, place) => {
      // who left before this is not heard leaving
      if (out.destroyed) return place.release()
      const { accountId } = watcher
      const streams = byAccount.get(accountId) ?? new Set()
      byAccount.set(accountId, streams)
      const stream = createEventStream(
        out,
        {
          lagging: onLagging,
          closed: () => {
            place.release()
            streams.delete(open)
            if (streams.size === 0 && byAccount.get(accountId) === streams) {
              byAccount.delete(accountId)
            }
          },
        },
        watcher.beatsAsEvent === true ? 'event: beat\ndata: {}\n\n' : undefined,
      )
      const open: Open = { watcher, stream }
      streams.add(open)
      sayWatching([open])
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
