import { createFixedWindow, createRateLimiter } from '@probe-mesh/runtime/rate-limiter'
import type { Bus } from '@probe-mesh/bus/port'
import { errorPools } from '@probe-mesh/contracts/error-tracking/error-pools'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { quotaPercents } from '../events/quota.ts'
import type { DoorKey } from '../projects/error-door-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { acceptBody, refuseBody } from './accept.ts'
import type { AcceptContext, Accepted } from './accept.ts'
import { createDoorKeys } from './door-keys.ts'
import { createDoorQuotas } from './door-quotas.ts'
import { createCostBudget } from './cost-budget.ts'
import { createEventWindows } from './event-windows.ts'
import { followWatermarks } from './follow-watermarks.ts'
import { acceptMetrics } from './metrics.ts'
import { createOpener, OpenerAway } from './open/opener.ts'
import type { OpenQuestion, PackedBody } from './open/open-body.ts'
import { createStreamBacklog } from './stream-backlog.ts'
import { createTally } from './tally.ts'

/** Events of one project in any second, by each process for itself. */
/** Projects whose events of a second are counted at a time. */
const projectsMax = 50_000

const eventsPerSecondDefault = 1_000

/** Why a request is refused whose project nobody knows. */
export type Stranger = 'missing' | 'unknown' | 'revoked' | 'busy'

export type ErrorDoor = {
  /** The key of a project's number, or why there is none. @throws where Postgres is away and must be asked */
  admit(publicKey: string | null, number: string): Promise<DoorKey | Stranger>
  /** @param network of the client, by `widestNetworkOf` */
  take(key: DoorKey, kind: OpenQuestion['kind'], body: PackedBody, network: string): Promise<Accepted>
  /** The DSN that an envelope says of itself; `busy` where the network, or all, ask for too many. */
  dsnOf(body: PackedBody, network: string): Promise<string | undefined | 'busy'>
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
  /** Of every budget of a project and an address; above 1 in tests and benches. */
  scale?: number
  registry: Registry
  pools?: PoolMetrics | undefined
  log: Logger
  now: () => number
}): ErrorDoor => {
  const { bus, registry, log, now, pools, tiers, scale = 1 } = capabilities
  const { errors } = bus
  const keys = createDoorKeys(capabilities)
  const tally = createTally({ errors, log, now })
  const opener = createOpener({ log })
  const { messages, bytes } = errorPools.errorBacklog.limits
  const backlog = createStreamBacklog({ messages: messages * scale, bytes: bytes * scale })
  const watermarks = followWatermarks({ ...capabilities, backlog })
  const publishing = createFairPool(errorPools.errorPublishing.bounds)
  pools?.watch('errorOpening', opener.pool)
  pools?.watch('errorAnonymous', opener.anonymousPool)
  pools?.watch('errorPublishing', publishing)
  const metrics = acceptMetrics(registry, {
    waiting: tally.waiting,
    keys: keys.size,
    backlog: backlog.size,
  })
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
    publishing,
    limits: {
      rate: createRateLimiter({
        now,
        keysMax: projectsMax,
        meter: () => createFixedWindow(perSecond, 1_000),
      }),
      windows: createEventWindows({ now, scale }),
      costs: createCostBudget({ now, scale }),
      backlog,
      quotaOf: ({ accountId, tier }) => quotas.quotaOf(accountId) ?? tiers[tier].errorEventsPerMonth,
    },
    isSpent: quotas.isSpent,
    metrics,
    log,
    now,
  }

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
    take: async (key, kind, body, network) => {
      const lose = (problem: string): Accepted => {
        void tally.add(key.projectId, { drops: { store: 1 } })
        return { status: 503, eventId: null, limits: [], problem }
      }
      try {
        return await acceptBody(context, key, kind, body, network)
      } catch (error) {
        if (error instanceof OpenerAway) return lose('temporarily unavailable; retry later')
        throw error
      }
    },
    dsnOf: (body, network) => opener.dsnOf(network, body),
    refuse: (key, reason, problem) => refuseBody(context, key, reason, problem),
    refresh: async () => {
      await Promise.all([quotas.refresh(), watermarks.refresh()])
    },
    isReady: keys.isFilled,
    start: keys.start,
    close: async () => {
      await Promise.all([keys.close(), quotas.close(), watermarks.close(), opener.close()])
      await tally.close()
    },
  }
}
