import { createFixedWindow, createRateLimiter } from '@probe-mesh/runtime/rate-limiter'
import type { Bus } from '@probe-mesh/bus/port'
import { errorPools } from '../contracts/error-pools.ts'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { quotaPercents } from '../events/quota.ts'
import type { IngestKey } from '../projects/ingest-keys-store.ts'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { acceptBody, rejectBody, type AcceptContext, type Accepted } from './accept.ts'
import type { CheckIns } from './check-ins.ts'
import { createKeyCache } from './key-cache.ts'
import { createQuotaCache } from './quota-cache.ts'
import { createCostBudget } from './cost-budget.ts'
import { createEventWindows } from './event-windows.ts'
import { followWatermarks } from './follow-watermarks.ts'
import { acceptMetrics } from './metrics.ts'
import { createOpener, OpenerStopped, BodyTooSlow } from './open/opener.ts'
import type { OpenRequest, PackedBody } from './open/open-body.ts'
import { createStreamBacklog } from './stream-backlog.ts'
import { createTally } from './tally.ts'

/** Projects in the rate limiter. */
const projectsMax = 50_000

/** For each project, by each process for itself. */
const eventsPerSecondDefault = 1_000

/** Why a request has no valid key. */
export type KeyRefusal = 'missing' | 'unknown' | 'revoked' | 'busy'

export type ErrorIngest = {
  /**
   * The active key of a project, or the refusal. @throws for a key that is not cached while Postgres is
   * unavailable
   */
  findKey(publicKey: string | null, number: string): Promise<IngestKey | KeyRefusal>
  /** @param network of the client, by `widestNetworkOf` */
  accept(key: IngestKey, kind: OpenRequest['kind'], body: PackedBody, network: string): Promise<Accepted>
  /** The DSN in an envelope; `busy` if too many such bodies wait, of this network or of all. */
  dsnOf(body: PackedBody, network: string): Promise<string | undefined | 'busy'>
  /** Counts a body that is too large or invalid. */
  rejectBody(key: IngestKey, reason: 'size' | 'invalid', problem: string): Promise<Accepted>
  /** Reads quotas and watermarks now. */
  refresh(): Promise<void>
  /** Whether the keys of all projects are in memory. */
  isReady(): boolean
  start(): Promise<void>
  close(): Promise<void>
}

/** Receives the events of SDKs. A request needs only memory and the stream. */
export const createErrorIngest = (capabilities: {
  sql: Sql
  bus: Pick<Bus, 'errors'>
  checkIns: CheckIns
  tiers: Readonly<Record<Tier, TierLimits>>
  eventsPerSecond?: number | undefined
  /** Multiplies all budgets of projects and addresses; above 1 in tests and benches. */
  scale?: number
  registry: Registry
  pools?: PoolMetrics | undefined
  log: Logger
  now: () => number
}): ErrorIngest => {
  const { bus, checkIns, registry, log, now, pools, tiers, scale = 1 } = capabilities
  const { errors } = bus
  const keys = createKeyCache(capabilities)
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
  const quotas = createQuotaCache({
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
    checkIns,
    metrics,
    log,
    now,
  }

  const refuse = (reason: KeyRefusal): KeyRefusal => {
    metrics.keysRefused.inc({ reason })
    return reason
  }
  return {
    findKey: async (publicKey, number) => {
      if (publicKey === null) return refuse('missing')
      const key = await keys.find(publicKey)
      if (key === 'busy') return refuse('busy')
      if (key === null || key.number !== number) return refuse('unknown')
      return key.revoked ? refuse('revoked') : key
    },
    accept: async (key, kind, body, network) => {
      const drop = (problem: string): Accepted => {
        void tally.add(key.projectId, { drops: { store: 1 } })
        return { status: 503, eventId: null, limits: [], problem }
      }
      try {
        return await acceptBody(context, key, kind, body, network)
      } catch (error) {
        if (error instanceof OpenerStopped) return drop('temporarily unavailable; retry later')
        if (error instanceof BodyTooSlow) {
          return rejectBody(context, key, 'invalid', 'the body takes too long to read; send smaller events')
        }
        throw error
      }
    },
    dsnOf: (body, network) => opener.dsnOf(network, body),
    rejectBody: (key, reason, problem) => rejectBody(context, key, reason, problem),
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
