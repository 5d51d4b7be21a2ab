import type { Writable } from 'node:stream'
import { AccountEvent, watchingMs, type Watching } from '@probe-mesh/contracts/mesh/events'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Place } from '@probe-mesh/runtime/fair-pool'
import type { Events, Subscription } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { FlooredPlaces } from '@probe-mesh/runtime/account-turns'
import { createEventStream, type EventStream } from '../http/event-stream.ts'

/** A client that watches an account, with its credential. */
export type Watcher = {
  accountId: string
  /** The id of the key or session, whose streams are limited. */
  ownerId: string
  /** The kinds of events to send; undefined: all. */
  kinds?: readonly AccountEvent['kind'][] | undefined
  /** Sends the heartbeat as an event, because a browser's `EventSource` ignores comments. */
  heartbeatAsEvent?: boolean
  /** Whether the key or session is still valid. @throws if the look-up fails */
  isStillValid(): Promise<boolean>
}

/** Sends an account's events to the clients that watch it. */
export type EventHub = {
  start(): Promise<void>
  /** Reserves a place for a stream. @returns the exceeded limit otherwise: of the key or session, the account, all */
  reserve(who: Pick<Watcher, 'accountId' | 'ownerId'>): Place | 'owner' | 'share' | 'all'
  /** Streams until the client leaves or lags too far behind, its key or session ends, or the hub closes. */
  open(watcher: Watcher, out: Writable, place: Place): void
  /** Checks the sessions of an account's streams now: some have ended. */
  recheck(accountId: string): void
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
  /** The pace at which the keys and sessions of streams are checked again. */
  recheckMs?: number | undefined
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
      log.warn({ err: parsed.error }, 'an event from NATS is invalid and is skipped')
      return
    }
    const streams = byAccount.get(parsed.data.accountId)
    if (streams === undefined) return
    const data = JSON.stringify(parsed.data)
    for (const open of streams) {
      if (wants(open, parsed.data.kind)) open.stream.push(parsed.data.kind, data)
    }
  }

  /** Readings are published only for watched accounts. */
  const publishWatching = (opens: readonly Open[]): void => {
    const wanted = opens.filter((open) => wants(open, 'reading'))
    const accountIds = [...new Set(wanted.map(({ watcher }) => watcher.accountId))]
    const watching: Watching = { accountIds }
    if (accountIds.length > 0) events.publish('watching', watching)
  }

  const recheck = async (open: Open): Promise<void> => {
    try {
      if (!(await open.watcher.isStillValid())) open.stream.end()
    } catch (error) {
      // the database is temporarily unavailable: the credential was valid, and the stream needs no database
      log.warn({ err: error }, 'the key or session of a stream cannot be checked; the stream stays open')
    }
  }

  return {
    start: async () => {
      subscriptions.push(await events.subscribe('flip', onEvent))
      subscriptions.push(await events.subscribe('incident', onEvent))
      subscriptions.push(await events.subscribe('reading', onEvent))
      const beat = (): void => all().forEach(({ stream }) => stream.beat())
      const recheckAll = (): void => all().forEach((open) => void recheck(open))
      const publishAll = (): void => publishWatching(all())
      timers.push(
        setInterval(beat, heartbeatMs),
        setInterval(recheckAll, recheckMs),
        setInterval(publishAll, watchingMs),
      )
    },
    reserve: ({ accountId, ownerId }) => {
      const own = [...(byAccount.get(accountId) ?? [])].filter(({ watcher }) => watcher.ownerId === ownerId)
      return own.length < limits.eventStreamsPerOwnerMax ? places.take(accountId) : 'owner'
    },
    open: (watcher, out, place) => {
      // a client that left earlier causes no close event
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
        watcher.heartbeatAsEvent === true ? 'event: beat\ndata: {}\n\n' : undefined,
      )
      const open: Open = { watcher, stream }
      streams.add(open)
      publishWatching([open])
      stream.beat()
    },
    recheck: (accountId) => {
      for (const open of byAccount.get(accountId) ?? []) void recheck(open)
    },
    size: () => all().length,
    close: async () => {
      timers.forEach(clearInterval)
      all().forEach(({ stream }) => stream.end())
      await Promise.all(subscriptions.map((subscription) => subscription.close()))
    },
  }
}
