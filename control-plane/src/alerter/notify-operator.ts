import { isDeepStrictEqual } from 'node:util'
import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'
import { followNotices } from './follow-notices.ts'
import type { NoticeStep, ToldNotice } from './follow-notices.ts'
import { findOperatorsAccount } from '../accounts/accounts-store.ts'
import { lockAlertRulesShared } from '../alerts/alert-rules-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import type { AlertContext } from '../alerts/context.ts'
import { sendToReceivers } from '../alerts/receivers.ts'
import { noticeAdvice } from '@probe-mesh/contracts/mesh/mesh'
import type { ChannelMessage } from '../notifications/message.ts'
import { durationText } from '../status/duration-text.ts'
import { instantText, oneLine } from '../alerts/alert-message.ts'

export type NoticeContext = Pick<AlertContext, 'sql' | 'publicUrl' | 'log' | 'now'>

/** What is so in the mesh now, and of which regions anything could be known. */
export type SeenNotices = { notices: readonly MeshNotice[]; heard: readonly string[] }

/**
 * Tells the operator once what begins and once what is over: whom the enabled rules of the operator's own account
 * notify that are about every check. What is told and that it was told is one transaction, in which nobody else tells.
 */
export const tellNotices = async (context: NoticeContext, seen: SeenNotices): Promise<void> => {
  const nowMs = context.now()
  const heard = new Set(seen.heard)
  const step = await transact(context.sql, async (tx) => {
    const before = await lockMeshNotices(tx)
    const next = followNotices(before, { notices: seen.notices, heard }, nowMs)
    if (!isDeepStrictEqual(next.told, before)) await writeMeshNotices(tx, next.told)
    await send(context, tx, next, nowMs)
    return next
  })
  const { log } = context
  for (const { region, what, text } of step.begun) log.warn({ region, what }, text)
  for (const { region, what, text } of step.ended) log.info({ region, what }, `over: ${text}`)
}

const send = async (
  { publicUrl }: NoticeContext,
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
    message: composeNotice(notice, event, { publicUrl, nowMs }),
  }))
  for (const rule of await lockAlertRulesShared(tx, [accountId])) {
    if (rule.enabled && rule.checkIds === null) await sendToReceivers(tx, rule, messages, nowMs)
  }
}

/** The message of a notice of the mesh, when it begins and when it is over. Pure. */
export const composeNotice = (
  { region, what, text, sinceMs }: ToldNotice,
  event: 'alert' | 'recovery',
  { publicUrl, nowMs }: { publicUrl: string; nowMs: number },
): ChannelMessage => {
  const said = oneLine(text)
  const since = instantText(sinceMs)
  return {
    event,
    title: event === 'alert' ? said : `Over: ${said}`,
    text:
      event === 'alert'
        ? `Since ${since}. ${noticeAdvice[what]}`
        : `It began at ${since} and is not so any more, ${durationText(nowMs - sinceMs)} later.`,
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
  what: ToldNotice['what']
  since: Date
  text: string
  gone_since: Date | null
}

/** What the operator was told of, locked against everybody else who tells until the transaction ends. */
export const lockMeshNotices = async (tx: Transaction): Promise<ToldNotice[]> => {
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

/** Remembers these and no others. */
export const writeMeshNotices = async (
  tx: Transaction,
  notices: readonly ToldNotice[],
): Promise<void> => {
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
