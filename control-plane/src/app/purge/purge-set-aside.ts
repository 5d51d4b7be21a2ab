import { createMetrics } from '@probe-mesh/runtime/metrics'
import { poisonBounds } from '@probe-mesh/contracts/reading/set-aside'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { relayBudgetBounds } from '@probe-mesh/contracts/agent/relay-budget'
import type { Registry } from 'prom-client'
import type { Sql } from '../../stores/postgres/connect.ts'
import { pruneAgentRuns } from '../../mesh/relay/relay-runs.ts'
import {
  boundEndedDeliveries,
  boundOutbox,
  measurePoison,
  prunePoison,
  type Dropped,
  type PoisonBounds,
} from './prune-set-aside-store.ts'

/** Poison messages can arrive fast; the other tables grow slowly. */
const poisonMs = 60_000
const othersMs = 3_600_000

/** Keeps poison messages, outbox and deliveries within their limits, and counts the dropped rows. */
export const createSetAsidePurge = (capabilities: {
  sql: Sql
  registry: Registry
  now: () => number
  /** Default: those of production. */
  poison?: PoisonBounds
}): (() => Promise<void>) => {
  const { sql, registry, now, poison = poisonBounds } = capabilities
  const metric = createMetrics(registry)
  const dropped = metric.counter(
    'purge_dropped_total',
    'Rows dropped to keep a table within its limits, by table and reason: age, owner (its share), all',
    'table',
    'reason',
  )
  const rows = metric.gauge('poison_rows', 'Invalid messages and readings stored in poison_messages')
  const bytes = metric.gauge('poison_bytes', 'Size of the messages and readings in poison_messages, bytes')
  const count = (table: string, found: readonly Dropped[]): void => {
    for (const { reason, count: many } of found) dropped.inc({ table, reason }, many)
  }
  let poisonAtMs = Number.NEGATIVE_INFINITY
  let othersAtMs = Number.NEGATIVE_INFINITY

  return async () => {
    if (Math.abs(now() - poisonAtMs) >= poisonMs) {
      count('poison_messages', await prunePoison(sql, now(), poison))
      const size = await measurePoison(sql)
      rows.set(size.rows)
      bytes.set(size.bytes)
      poisonAtMs = now()
    }
    if (Math.abs(now() - othersAtMs) < othersMs) return
    count('outbox', await boundOutbox(sql, now()))
    count('deliveries', await boundEndedDeliveries(sql))
    const beforeMs = now() - limits.readingAgeMsMax
    await pruneAgentRuns(sql, { beforeMs, perAgentMax: relayBudgetBounds.openRunsMax })
    othersAtMs = now()
  }
}
