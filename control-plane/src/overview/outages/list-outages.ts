import { Uuid } from '@probe-mesh/contracts/schema/ids'
import type { Outage, OutageDetail, Outages } from '@probe-mesh/contracts/overview/outage-log'
import type { DashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import { z } from 'zod'
import { findPausedSpans } from '../../records/check/check-revisions-store.ts'
import type { CheckContext } from '../../checks/check-context.ts'
import type { Caller } from '../../accounts/operations/context.ts'
import { createCursor, cutPage, refuseCursor } from '../../accounts/operations/page-of.ts'
import { queryClickHouse } from '../../accounts/operations/query-clickhouse.ts'
import { findReadingsAt } from '../../readings/list-readings.ts'
import { staleAfterMs } from '../../status/freshness.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import type { HeartbeatWatch } from '../../heartbeats/outage.ts'
import { describeOutage } from './outage.ts'
import {
  findActsOfOutage,
  findAlertsOfOutage,
  findEscalationsOfOutage,
  findFlipsOfOutages,
  findOutage,
  findOutages,
  type OutageRecord,
} from './outages-store.ts'

type OutageContext = Pick<CheckContext, 'sql' | 'clickhouse' | 'heartbeatWatch' | 'now' | 'log'>

/** Outages of all checks of the account, open ones first, each group newest first (S-1108). */
export const listOutages = async (
  context: Pick<OutageContext, 'sql' | 'heartbeatWatch' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: InputOf<DashboardRoutes['listOutages']>,
): Promise<Outages | Refusal> => {
  const after = query.cursor === undefined ? undefined : positions.parse(query.cursor)
  if (after === null) return refuseCursor
  const filter = {
    checkId: query.checkId ?? null,
    open: query.open ?? null,
    fromMs: query.from ?? null,
    toMs: query.to ?? null,
    limit: query.limit + 1,
    after: after === undefined ? null : { isOpen: after[0], startedAtMs: after[1], id: after[2] },
  }
  const watch = await context.heartbeatWatch()
  return inAccount(context.sql, accountId, async (tx) => {
    const nowMs = context.now()
    const found = await findOutages(tx, accountId, filter)
    const { entries, next } = cutPage(found, query.limit, cursorOf)
    return {
      outages: await describeOutages(tx, entries, watch, nowMs),
      nextCursor: next,
      at: new Date(nowMs).toISOString(),
    }
  })
}

/** One outage with its flips, the readings at its begin and its messages. */
export const getOutage = async (
  context: OutageContext,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: InputOf<DashboardRoutes['getOutage']>,
): Promise<OutageDetail | Refusal> => {
  const watch = await context.heartbeatWatch()
  const found = await inAccount(context.sql, accountId, async (tx) => {
    const record = await findOutage(tx, accountId, id)
    if (record === null) return null
    const flips = (await findFlipsOfOutages(tx, [id])).get(id) ?? []
    const [outage] = await describeOutages(tx, [record], watch, context.now())
    if (outage === undefined) return null
    const [alerts, acts, escalations] = await Promise.all([
      findAlertsOfOutage(tx, id),
      findActsOfOutage(tx, id),
      findEscalationsOfOutage(tx, id),
    ])
    return { record, outage, flips, alerts, acts, escalations }
  })
  if (found === null) return refuse('SV-3001')
  const { record, outage, flips, alerts, acts, escalations } = found
  return {
    ...outage,
    flips: flips.map(({ atMs, from, to, reason }) => ({
      at: new Date(atMs).toISOString(),
      from,
      to,
      reason,
    })),
    readings: await readingsAtBegin(context, accountId, record),
    alerts,
    acts,
    escalations,
  }
}

/** Describes these outages at `nowMs`, in their order. */
export const describeOutages = async (
  tx: Transaction,
  records: readonly OutageRecord[],
  watch: HeartbeatWatch,
  nowMs: number,
): Promise<Outage[]> => {
  if (records.length === 0) return []
  const checkIds = [...new Set(records.map(({ checkId }) => checkId))]
  const sinceMs = Math.min(...records.map(({ startedAtMs }) => startedAtMs))
  const [flips, spans] = await Promise.all([
    findFlipsOfOutages(
      tx,
      records.map(({ id }) => id),
    ),
    findPausedSpans(tx, checkIds, sinceMs),
  ])
  const paused = Map.groupBy(
    spans.map((span) => ({ ...span, toMs: span.toMs ?? nowMs })),
    ({ checkId }) => checkId,
  )
  return records.map((record) => {
    const evidence = { flips: flips.get(record.id) ?? [], paused: paused.get(record.checkId) ?? [], watch }
    return describeOutage(record, evidence, nowMs)
  })
}

/** The newest reading of each region up to the begin of an outage; null: ClickHouse did not answer. */
const readingsAtBegin = async (
  context: OutageContext,
  accountId: string,
  { checkId, checkType, startedAtMs, intervalSeconds }: OutageRecord,
): Promise<OutageDetail['readings']> => {
  if (checkType === 'heartbeat') return []
  const found = await queryClickHouse(context, accountId, () =>
    findReadingsAt(context.clickhouse, {
      checkId,
      atMs: startedAtMs,
      fromMs: startedAtMs - staleAfterMs(intervalSeconds),
    }),
  )
  return isRefusal(found) ? null : found
}

const positions = createCursor(z.tuple([z.boolean(), z.int().min(0).max(8_640_000_000_000_000), Uuid]))

const cursorOf = ({ id, startedAtMs, endedAtMs, pausedAtMs }: OutageRecord): string =>
  positions.format([endedAtMs === null && pausedAtMs === null, startedAtMs, id])
