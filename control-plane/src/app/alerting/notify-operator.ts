import { oneLine } from '@probe-mesh/runtime/one-line'
import { isDeepStrictEqual } from 'node:util'
import { noticeAdvice, type RegionNotice } from '@probe-mesh/contracts/mesh/mesh'
import { followNotices, type NoticeStep, type ReportedNotice } from './follow-notices.ts'
import { findOperatorsAccount } from '../../accounts/accounts-store.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { transact } from '../../stores/postgres/transact.ts'
import type { AlertContext } from '../../alerts/context.ts'
import { deliveryTo, findAddress, findReceivers } from '../../alerts/receivers.ts'
import { insertDeliveries } from '../../notifications/deliveries-store.ts'
import type { ChannelMessage } from '../../notifications/channels/forms/message.ts'
import { durationText } from '../../status/duration-text.ts'
import { instantText } from '../../alerts/alert-message.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

export type NoticeContext = Pick<AlertContext, 'sql' | 'publicUrl' | 'tokens' | 'log' | 'now'> & {
  /** The id of the channel that gets the messages; null: there are none. */
  readonly operatorChannel: string | null
}

/** The current faults of the mesh by region, and the regions whose agents reported. */
export type SeenNotices = { notices: readonly RegionNotice[]; heard: readonly string[] }

/**
 * Logs each notice once when it begins and once when it ends, and sends it to the channel that the operator chose, of
 * the operator's account, and to nobody else. Messages and the record of them are one transaction, which excludes
 * other control planes.
 */
export const notifyOperator = async (context: NoticeContext, seen: SeenNotices): Promise<void> => {
  const nowMs = context.now()
  const heard = new Set(seen.heard)
  const { step, isSent } = await transact(context.sql, async (tx) => {
    const before = await lockMeshNotices(tx)
    const next = followNotices(before, { notices: seen.notices, heard }, nowMs)
    if (!isDeepStrictEqual(next.reported, before)) await writeMeshNotices(tx, next.reported)
    return { step: next, isSent: await send(context, tx, next, nowMs) }
  })
  const { log, operatorChannel } = context
  for (const { regions, what, text } of step.begun) log.warn({ regions, what }, text)
  for (const { regions, what, text } of step.ended) log.info({ regions, what }, `resolved: ${text}`)
  if (!isSent) {
    const effect =
      "OPERATOR_CHANNEL is no channel of the operator's account: no message is sent about the mesh"
    log.warn({ operatorChannel }, effect)
  }
}

/** @returns whether nothing kept a message from its channel */
const send = async (
  context: NoticeContext,
  tx: Transaction,
  { begun, ended }: NoticeStep,
  nowMs: number,
): Promise<boolean> => {
  const { operatorChannel: id, publicUrl } = context
  if (id === null || begun.length + ended.length === 0) return true
  const accountId = await findOperatorsAccount(tx)
  const channels = accountId === null ? [] : await findReceivers(tx, [accountId])
  const receiver = channels.find((each) => each.kind === 'channel' && each.id === id)
  const address = receiver === undefined ? null : await findAddress(context, tx, receiver)
  if (receiver === undefined || address === null) return false
  const drafts = [
    ...begun.map((notice) => ({ notice, event: 'alert' as const })),
    ...ended.map((notice) => ({ notice, event: 'recovery' as const })),
  ].map(({ notice, event }) => {
    const cause = `mesh:${notice.region}:${notice.what}:${notice.sinceMs}:${nowMs}:${event}:${id}`
    const message = composeNotice(notice, event, { publicUrl, nowMs })
    return deliveryTo(receiver, address, { cause, message }, nowMs)
  })
  await insertDeliveries(tx, drafts, nowMs)
  return true
}

/** The message about a notice that begins or ends. */
export const composeNotice = (
  { region, regions, what, text, sinceMs }: ReportedNotice,
  event: 'alert' | 'recovery',
  { publicUrl, nowMs }: { publicUrl: string; nowMs: number },
): ChannelMessage => {
  const summary = oneLine(text)
  const since = instantText(sinceMs)
  return {
    event,
    title: event === 'alert' ? summary : `Resolved: ${summary}`,
    text:
      event === 'alert'
        ? `Since ${since}. ${noticeAdvice[what]}`
        : `Started at ${since}, resolved after ${durationText(nowMs - sinceMs)}.`,
    facts: [
      { name: regions.length === 1 ? 'Region' : 'Regions', value: regions.join(', ') },
      { name: 'Since', value: since },
    ],
    url: `${publicUrl}/dashboard/mesh`,
    at: new Date(nowMs).toISOString(),
    alertKey: `mesh:${region}:${what}`,
  }
}

/** The notices that were reported to the operator, locked until the transaction ends. */
const lockMeshNotices = async (tx: Transaction): Promise<ReportedNotice[]> => {
  await tx`select pg_advisory_xact_lock(hashtextextended('mesh notices', 0))`
  // an earlier version wrote no regions
  return await tx<ReportedNotice[]>`
    select region, case when regions = '{}' then array[region] else regions end as regions, what, text,
      ${epochMs(tx, 'since')} as "sinceMs", ${epochMs(tx, 'gone_since')} as "goneSinceMs"
    from mesh_notices order by region, what`
}

/** Replaces the stored notices. */
const writeMeshNotices = async (tx: Transaction, notices: readonly ReportedNotice[]): Promise<void> => {
  await tx`delete from mesh_notices`
  if (notices.length === 0) return
  const rows = notices.map(({ region, regions, what, text, sinceMs, goneSinceMs }) => ({
    region,
    regions,
    what,
    text,
    since: new Date(sinceMs).toISOString(),
    gone_since: goneSinceMs === null ? null : new Date(goneSinceMs).toISOString(),
  }))
  await tx`
    insert into mesh_notices (region, regions, what, text, since, gone_since)
    select * from jsonb_to_recordset(${tx.json(rows)})
      as n (region text, regions text[], what text, text text, since timestamptz, gone_since timestamptz)`
}
