import type { Bus } from '@probe-mesh/bus/port'
import type { Tier, TierLimits } from '@probe-mesh/contracts/tiers'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { quotaPercents } from '../error-tracking/quota.ts'
import type { DoorKey } from '../postgres/error-door.ts'
import type { Sql } from '../postgres/connect.ts'
import { acceptBody, refuseBody } from './accept.ts'
import type { AcceptContext, Accepted } from './accept.ts'
import { createDoorKeys } from './door-keys.ts'
import { createDoorQuotas } from './door-quotas.ts'
import { createEventRate } from './event-rate.ts'
import { acceptMetrics } from './metrics.ts'
import { createOpener, OpenerAway } from './open/opener.ts'
import type { OpenQuestion, PackedBody } from './open/open-body.ts'
import { createTally } from './tally.ts'

/** Events of one project in any second, by each process for itself. */
export const eventsPerSecondDefault = 1_000
/** Requests that are being taken; more are refused, and counted. */
const underWayMax = 500

/** Why a request is refused whose project nobody knows. */
export type Stranger = 'missing' | 'unknown' | 'revoked' | 'busy'

export type ErrorDoor = {
  /** The key of a project's number, or why there is none. @throws where Postgres is away and must be asked */
  admit(publicKey: string | null, number: string): Promise<DoorKey | Stranger>
  take(key: DoorKey, kind: OpenQuestion['kind'], body: PackedBody): Promise<Accepted>
  /** The DSN that an envelope says of itself. */
  dsnOf(body: PackedBody): Promise<string | undefined>
  /** A body that is too large. */
  refuse(key: DoorKey, reason: 'size' | 'invalid', problem: string): Promise<Accepted>
  /** Looks at the quotas now. */
  refresh(): Promise<void>
  /** Whether the keys of all projects are in memory. */
  isReady(): boolean
  start(): Promise<void>
  close(): Promise<void>
}

/** Where events of SDKs come in: everything that a request needs is in memory but the stream. */
export const createErrorDoor = (capabilities: {
  sql: Sql
  bus: Pick<Bus, 'errors'>
  tiers: Readonly<Record<Tier, TierLimits>>
  eventsPerSecond?: number | undefined
  registry: Registry
  log: Logger
  now: () => number
}): ErrorDoor => {
  const { bus, registry, log, now } = capabilities
  const { errors } = bus
  const keys = createDoorKeys(capabilities)
  const tally = createTally({ errors, log, now })
  const opener = createOpener({ log })
  const metrics = acceptMetrics(registry, { waiting: tally.waiting, keys: keys.size })
  const quotas = createDoorQuotas({
    ...capabilities,
    onMeasured: (accounts) => {
      for (const percent of quotaPercents) {
        metrics.quotaAccounts.set({ percent }, accounts.get(percent) ?? 0)
      }
    },
  })
  const perSecond = capabilities.eventsPerSecond ?? eventsPerSecondDefault
  const context: AcceptContext = {
    errors,
    tally,
    opener,
    rate: createEventRate({ now, perSecond }),
    isSpent: quotas.isSpent,
    metrics,
    log,
    now,
  }
  let underWay = 0

  const strange = (reason: Stranger): Stranger => {
    metrics.strangers.inc({ reason })
    return reason
  }
  return {
    admit: async (publicKey, number) => {
      if (publicKey === null) return strange('missing')
      const key = await keys.find(publicKey)
      if (key === 'busy') return strange('busy')
      if (key === null || key.number !== number) return strange('unknown')
      return key.revoked ? strange('revoked') : key
    },
    take: async (key, kind, body) => {
      const lose = (problem: string): Accepted => {
        void tally.add(key.projectId, { drops: { store: 1 } })
        return { status: 503, eventId: null, limits: [], problem }
      }
      if (underWay >= underWayMax) return lose('too many requests at once')
      underWay += 1
      try {
        return await acceptBody(context, key, kind, body)
      } catch (error) {
        if (error instanceof OpenerAway) return lose('try again')
        throw error
      } finally {
        underWay -= 1
      }
    },
    dsnOf: opener.dsnOf,
    refuse: (key, reason, problem) => refuseBody(context, key, reason, problem),
    refresh: quotas.refresh,
    isReady: keys.isFilled,
    start: keys.start,
    close: async () => {
      await Promise.all([keys.close(), quotas.close(), opener.close()])
      await tally.close()
    },
  }
}
