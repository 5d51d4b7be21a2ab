import type { CheckNotes, CheckNotesChange } from '@probe-mesh/contracts/check/check-notes'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findNotes, keepMember, noNotes, writeNotes } from '../records/check/check-notes-store.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import { findCheck } from '../records/check/checks-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** The runbook, the notes and the owner of a check. SV-3001 for an unknown check. */
export const getCheckNotes = (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<CheckNotes | Refusal> =>
  inAccount(sql, accountId, async (tx) => {
    if ((await findCheck(tx, accountId, id)) === null) return refuse('SV-3001')
    return (await findNotes(tx, [id])).get(id) ?? noNotes
  })

/**
 * Changes what is noted about a locked check, in the transaction of its change; absent fields stay. SV-2001 for an
 * owner who is no member of the account.
 * @returns whether anything changed
 */
export const changeNotes = async (
  tx: Transaction,
  { id, accountId }: Pick<CheckRecord, 'id' | 'accountId'>,
  change: CheckNotesChange,
): Promise<boolean | Refusal> => {
  const { owner, ...rest } = (await findNotes(tx, [id])).get(id) ?? noNotes
  const before = { ...rest, ownerId: owner?.id ?? null }
  const { runbookUrl = before.runbookUrl, notes = before.notes, ownerId = before.ownerId } = change
  const isSame = runbookUrl === before.runbookUrl && notes === before.notes && ownerId === before.ownerId
  if (isSame) return false
  const isKnown = ownerId === null || ownerId === before.ownerId || (await keepMember(tx, accountId, ownerId))
  if (!isKnown) {
    const message = 'this account has no member with this id'
    return refuse('SV-2001', { errors: [{ path: 'ownerId', message }] })
  }
  await writeNotes(tx, { id, accountId }, { runbookUrl, notes, ownerId })
  return true
}
