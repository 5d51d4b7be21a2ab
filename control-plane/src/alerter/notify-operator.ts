import { oneLine } from '@probe-mesh/runtime/one-line'
import { isDeepStrictEqual } from 'node:util'
import { noticeAdvice, type MeshNotice } from '@probe-mesh/contracts/mesh/mesh'
import { followNotices, type NoticeStep, type ReportedNotice } from './follow-notices.ts'
import { findOperatorsAccount } from '../accounts/accounts-store.ts'
import { lockAlertRulesShared } from '../alerts/alert-rules-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import type { AlertContext } from '../alerts/context.ts'
import { sendToReceivers } from '../alerts/receivers.ts'
import type { ChannelMessage } from '../notifications/channels/forms/message.ts'
import { durationText } from '../status/duration-text.ts'
import { instantText } from '../alerts/alert-message.ts'

export type NoticeContext = Pick<AlertContext, 'sql' | 'publicUrl' | 'tokens' | 'log' | 'now'>

/** The current notices of the mesh, and the regions whose agents reported. */
export type SeenNotices = { notices: readonly MeshNotice[]; heard: readonly string[] }

/**
 * Notifies the operator once when a notice begins and once when it ends, through the enabled rules of the
 * operator's account that cover all checks. Messages and the record of them are one transaction, which
 * excludes other control planes.
 */
export const notifyOperator = async (context: NoticeContext, seen: SeenNotices): Promise<void> => {
  const nowMs = context.now()
  const heard = new Set(seen.heard)
  const step = await transact(context.sql, async (tx) => {
    const before = await lockMeshNotices(tx)
    const next = followNotices(before, { notices: seen.notices, heard }, nowMs)
    if (!isDeepStrictEqual(next.reported, before)) await writeMeshNotices(tx, next.reported)
    await send(context, tx, next, nowMs)
    return next
  })
  const { log } = context
  for (const { region, what, text } of step.begun) log.warn({ region, what }, text)
  for (const { region, what, text } of step.ended) log.info({ region, what }, `resolved: ${text}`)
}

const send = async (
  context: NoticeContext,
  tx: Transaction,
  { begun, ended }: NoticeStep,
  nowMs: number,
): Promise<void> => {
  if (begun.length + ended.length === 0) return
  const accountId = await findOperatorsAccount(tx)
  if (accountId === null) return
  const messages = [
    ...begun.map((notice) => ({ notice, event: 'alert' as const })),
    ...ended.map((notice) => ({ notice, event: 'recovery' as const })),
  ].map(({ notice, event }) => ({
    cause: `mesh:${notice.region}:${notice.what}:${notice.sinceMs}:${nowMs}:${event}`,
    message: composeNotice(notice, event, { publicUrl: context.publicUrl, nowMs }),
  }))
  for (const rule of await lockAlertRulesShared(tx, [accountId])) {
    if (rule.enabled && rule.checkIds === null) await sendToReceivers(context, tx, rule, messages, nowMs)
  }
}

/** The message about a notice that begins or ends. */
export const composeNotice = (
  { region, what, text, sinceMs }: ReportedNotice,
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
      { name: 'Region', value: region },
      { name: 'Since', value: since },
    ],
    url: `${publicUrl}/dashboard/mesh`,
    at: new Date(nowMs).toISOString(),
    alertKey: `mesh:${region}:${what}`,
  }
}

type NoticeRow = {
  region: string
  what: ReportedNotice['what']
  since: Date
  text: string
  gone_since: Date | null
}

/** The notices that were reported to the operator, locked until the transaction ends. */
const lockMeshNotices = async (tx: Transaction): Promise<ReportedNotice[]> => {
  await tx`select pg_advisory_xact_lock(hashtextextended('mesh notices', 0))`
  const rows = await tx<NoticeRow[]>`select * from mesh_notices order by region, what`
  return rows.map(({ region, what, since, text, gone_since }) => ({
    region,
    what,
    text,
    sinceMs: since.getTime(),
    goneSinceMs: gone_since?.getTime() ?? null,
  }))
}

/** Replaces the stored notices. */
const writeMeshNotices = async (tx: Transaction, notices: readonly ReportedNotice[]): Promise<void> => {
  await tx`delete from mesh_notices`
  if (notices.length === 0) return
  const rows = notices.map(({ region, what, text, sinceMs, goneSinceMs }) => ({
    region,
    what,
    text,
    since: new Date(sinceMs).toISOString(),
    gone_since: goneSinceMs === null ? null : new Date(goneSinceMs).toISOString(),
  }))
  await tx`
    insert into mesh_notices (region, what, text, since, gone_since)
    select * from jsonb_to_recordset(${tx.json(rows)})
      as n (region text, what text, text text, since timestamptz, gone_since timestamptz)`
}
