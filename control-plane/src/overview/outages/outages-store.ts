import {
  outageActsMax,
  outageAlertsMax,
  outageFlipsMax,
  outageIncidentsMax,
  type OutageDetail,
} from '@probe-mesh/contracts/overview/outage-log'
import type { CheckStatus, CheckType } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { epochMs, isoText } from '../../stores/postgres/epoch-ms.ts'
import type { Fragment, Transaction } from '../../stores/postgres/connect.ts'
import type { FlipRow } from '../../status/spans.ts'
import type { RegionState } from '../../status/state.ts'

/** A stored outage, with its check, posts and messages. Times are Unix milliseconds. */
export type OutageRecord = {
  id: string
  checkId: string
  checkName: string
  checkType: CheckType
  startedAtMs: number
  endedAtMs: number | null
  startVersion: number
  endVersion: number | null
  reason: string | null
  regions: Region[]
  incidentIds: string[]
  alertsSent: number
  maintenance: boolean
  /** When the check was paused; null while it is not. */
  pausedAtMs: number | null
  checkRegions: Region[]
  intervalSeconds: number
  /** The current status and the states of the regions, of an outage that has not ended; otherwise null. */
  status: CheckStatus | null
  states: Record<Region, RegionState> | null
}

/** The end of a page. */
type OutagePosition = { isOpen: boolean; startedAtMs: number; id: string }

type OutageFilter = {
  checkId: string | null
  open: boolean | null
  fromMs: number | null
  toMs: number | null
  limit: number
  after: OutagePosition | null
}

/** Outages of an account, open ones first, each group newest first. A paused check has no open outage. */
export const findOutages = async (
  tx: Transaction,
  accountId: string,
  { checkId, open, fromMs, toMs, limit, after }: OutageFilter,
): Promise<OutageRecord[]> => {
  const matching = (isOpen: boolean) => {
    if (open === !isOpen || (isOpen && after?.isOpen === false))
      return tx`select null::uuid, ${isOpen}, null::timestamptz where false`
    const isBehind = after !== null && after.isOpen === isOpen
    return tx`
      select outages.id, ${isOpen} as is_open, started_at
      from outages join checks on checks.id = outages.check_id
      where outages.account_id = ${accountId}
        and ${isOpen ? tx`ended_at is null and not checks.paused` : tx`(ended_at is not null or checks.paused)`}
        ${checkId === null ? tx`` : tx`and outages.check_id = ${checkId}`}
        ${toMs === null ? tx`` : tx`and started_at < ${new Date(toMs)}`}
        ${
          fromMs === null
            ? tx``
            : tx`and coalesce(ended_at, case when checks.paused then checks.valid_from end, 'infinity')
                > ${new Date(fromMs)}`
        }
        ${isBehind ? tx`and (started_at, outages.id) < (${new Date(after.startedAtMs)}, ${after.id}::uuid)` : tx``}
      order by started_at desc, outages.id desc limit ${limit}`
  }
  return tx<OutageRecord[]>`
    with page as materialized (
      select * from ((${matching(true)}) union all (${matching(false)})) as found (id, is_open, started_at)
      order by is_open desc, started_at desc, id desc limit ${limit}
    )
    ${records(tx, tx`page join outages using (id)`)}
    order by page.is_open desc, outages.started_at desc, outages.id desc`
}

/**
 * Open outages of an account, those that the largest share of the regions saw first, then the longest first.
 */
export const findWorstOutages = async (
  tx: Transaction,
  accountId: string,
  limit: number,
): Promise<OutageRecord[]> =>
  tx<OutageRecord[]>`
    with page as materialized (
      -- a heartbeat has no regions: all of it fails
      select outages.id,
        coalesce(cardinality(outages.regions)::float8 / nullif(cardinality(checks.regions), 0), 1) as share
      from outages join checks on checks.id = outages.check_id
      where outages.account_id = ${accountId} and ended_at is null and not checks.paused
      order by share desc, started_at, outages.id limit ${limit}
    )
    ${records(tx, tx`page join outages using (id)`)}
    order by page.share desc, outages.started_at, outages.id`

/** When the oldest and the newest of the open outages of an account began, ISO 8601; null: none is open. */
export const findOpenSpan = async (
  tx: Transaction,
  accountId: string,
): Promise<{ oldestAt: string | null; newestAt: string | null }> => {
  const [row] = await tx<{ oldestAt: string | null; newestAt: string | null }[]>`
    select ${isoText(tx, tx`min(started_at)`)} as "oldestAt", ${isoText(tx, tx`max(started_at)`)} as "newestAt"
    from outages join checks on checks.id = outages.check_id
    where outages.account_id = ${accountId} and ended_at is null and not checks.paused`
  return row ?? { oldestAt: null, newestAt: null }
}

/** One outage of an account. Another account's is null like a missing one. */
export const findOutage = async (
  tx: Transaction,
  accountId: string,
  outageId: string,
): Promise<OutageRecord | null> => {
  const [row] = await tx<OutageRecord[]>`
    ${records(tx, tx`outages`)} where outages.id = ${outageId} and outages.account_id = ${accountId}`
  return row ?? null
}

const records = (tx: Transaction, source: Fragment) => tx`
  select outages.id, outages.check_id as "checkId", checks.name as "checkName", checks.type as "checkType",
    ${epochMs(tx, 'outages.started_at')} as "startedAtMs", ${epochMs(tx, 'outages.ended_at')} as "endedAtMs",
    start_version as "startVersion", end_version as "endVersion", outages.reason, outages.regions,
    case when checks.paused then ${epochMs(tx, 'checks.valid_from')} end as "pausedAtMs",
    checks.regions as "checkRegions", checks.interval_seconds as "intervalSeconds",
    case when ended_at is null then check_states.status end as status,
    case when ended_at is null then check_states.regions end as states,
    array(
      select incidents.id from incidents
      where incidents.id in (
          select id from incidents where check_id = outages.check_id
          union all
          select incident_id from incident_members where check_id = outages.check_id)
        and incidents.started_at < coalesce(ended_at, 'infinity')
        and coalesce(incidents.resolved_at, 'infinity') > outages.started_at
      order by incidents.started_at, incidents.id limit ${outageIncidentsMax}) as "incidentIds",
    (select count(distinct delivery_id)::int from alerted_checks as alerted
      where delivered_at is not null and ${isAbout(tx)}) as "alertsSent",
    exists (
      select from components
        join maintenance_windows as windows on windows.status_page_id = components.status_page_id
      where components.check_id = outages.check_id
        and windows.starts_at <= outages.started_at and windows.ends_at > outages.started_at
        and (windows.whole_page or exists (
          select from maintenance_components as named
          where named.window_id = windows.id and named.component_id = components.id))) as maintenance
  from ${source} join checks on checks.id = outages.check_id
    left join check_states on check_states.check_id = outages.check_id`

/**
 * Whether `alerted` is about an outage: sent since it began, by an alert that was open in it, before the next
 * one.
 */
const isAbout = (tx: Transaction) => tx`
  alerted.check_id = outages.check_id and alerted.at >= outages.started_at
    and alerted.since < coalesce(outages.ended_at, 'infinity')
    and not exists (
      select from outages as later
      where later.check_id = outages.check_id and later.started_at > outages.started_at
        and later.started_at <= alerted.at)`

export type OutageFlip = FlipRow & { reason: string | null }

/**
 * The flips of these outages from begin to end, oldest first, by outage. Of an outage with more, the oldest:
 * the time after them counts as unknown.
 */
export const findFlipsOfOutages = async (
  tx: Transaction,
  outageIds: readonly string[],
): Promise<Map<string, OutageFlip[]>> => {
  const rows = await tx<{ id: string; flips: OutageFlip[] }[]>`
    select outages.id, (
      select jsonb_agg(jsonb_build_object('from', flip.from_status, 'to', flip.to_status,
          'noneUp', flip.none_up, 'reason', flip.reason, 'atMs', ${epochMs(tx, 'flip.at')})
        order by flip.version)
      from (
        select * from flips
        where flips.check_id = outages.check_id and flips.version >= outages.start_version
          and (outages.end_version is null or flips.version <= outages.end_version)
        order by flips.version limit ${outageFlipsMax}) as flip) as flips
    from outages where outages.id = any(${[...outageIds]}::uuid[])`
  return new Map(rows.map(({ id, flips }) => [id, flips]))
}

/** The messages about an outage, oldest first. */
export const findAlertsOfOutage = async (
  tx: Transaction,
  outageId: string,
): Promise<OutageDetail['alerts']> => {
  return await tx<OutageDetail['alerts']>`
    select alerted.event, ${isoText(tx, 'alerted.at')} as at, alerted.delivery_id as "deliveryId", deliveries.state, deliveries.kind,
      coalesce(deliveries.recipient, notification_channels.name) as receiver,
      ${isoText(tx, tx`coalesce(deliveries.delivered_at, alerted.delivered_at)`)} as "deliveredAt"
    from outages join alerted_checks as alerted on ${isAbout(tx)}
      left join deliveries on deliveries.id = alerted.delivery_id
      left join notification_channels on notification_channels.id = deliveries.channel_id
    where outages.id = ${outageId}
    order by alerted.at, alerted.cause limit ${outageAlertsMax}`
}

/** What people did with the alerts of an outage, oldest first: acts since it began, before it ended and the next one. */
export const findActsOfOutage = async (tx: Transaction, outageId: string): Promise<OutageDetail['acts']> => {
  return await tx<OutageDetail['acts']>`
    select acts.kind, acts.actor as by, ${isoText(tx, 'acts.at')} as at, ${isoText(tx, 'acts.until')} as until
    from outages join alert_acts as acts on acts.check_id = outages.check_id
      and acts.at >= outages.started_at and acts.at < coalesce(outages.ended_at, 'infinity')
    where outages.id = ${outageId}
    order by acts.at, acts.id limit ${outageActsMax}`
}

/** The levels that the alerts of an outage reached, oldest first. */
export const findEscalationsOfOutage = async (
  tx: Transaction,
  outageId: string,
): Promise<OutageDetail['escalations']> => {
  return await tx<OutageDetail['escalations']>`
    select reached.policy, reached.level, reached.round, reached.receivers, reached.gaps,
      ${isoText(tx, 'reached.at')} as at
    from outages join alert_escalations as reached on reached.check_id = outages.check_id
      and reached.at >= outages.started_at and reached.at < coalesce(outages.ended_at, 'infinity')
    where outages.id = ${outageId}
    order by reached.at, reached.id limit ${outageActsMax}`
}
