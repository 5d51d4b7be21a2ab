import { isDeepStrictEqual } from 'node:util'
import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'
import { followNotices } from './follow-notices.ts'
import type { NoticeStep } from './follow-notices.ts'
import { composeNotice } from './notice-message.ts'
import { findOperatorsAccount } from '../accounts/accounts-store.ts'
import { lockAlertRulesShared } from '../alerts/alert-rules-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { lockMeshNotices, writeMeshNotices } from './mesh-notices-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import type { AlertContext } from '../alerts/context.ts'
import { sendToReceivers } from '../alerts/receivers.ts'

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
