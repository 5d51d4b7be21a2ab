import type { CheckNotes } from '@probe-mesh/contracts/check/check-notes'
import type { Connection, Transaction } from '../../stores/postgres/connect.ts'

type NotesRow = { runbookUrl: string | null; notes: string; ownerId: string | null; ownerName: string | null }

export const noNotes: CheckNotes = { runbookUrl: null, notes: '', owner: null }

/** What is noted about these checks, by id; a check without any note is left out. */
export const findNotes = async (
  db: Connection,
  checkIds: readonly string[],
): Promise<Map<string, CheckNotes>> => {
  const rows = await db<(NotesRow & { checkId: string })[]>`
    select check_id as "checkId", runbook_url as "runbookUrl", notes, users.id as "ownerId",
      coalesce(users.name, users.email) as "ownerName"
    from check_notes left join users on users.id = owner_id
    where check_id = any(${[...checkIds]}::uuid[])`
  return new Map(
    rows.map(({ checkId, runbookUrl, notes, ownerId, ownerName }) => [
      checkId,
      { runbookUrl, notes, owner: ownerId === null ? null : { id: ownerId, name: ownerName ?? '' } },
    ]),
  )
}

export const writeNotes = async (
  tx: Transaction,
  { id, accountId }: { id: string; accountId: string },
  { runbookUrl, notes, ownerId }: { runbookUrl: string | null; notes: string; ownerId: string | null },
): Promise<void> => {
  await tx`
    insert into check_notes (check_id, account_id, runbook_url, notes, owner_id)
    values (${id}, ${accountId}, ${runbookUrl}, ${notes}, ${ownerId})
    on conflict (check_id) do update set runbook_url = excluded.runbook_url, notes = excluded.notes,
      owner_id = excluded.owner_id`
}

/** Notes the same about another check. */
export const copyNotes = async (tx: Transaction, fromId: string, toId: string): Promise<void> => {
  await tx`
    insert into check_notes (check_id, account_id, runbook_url, notes, owner_id)
    select ${toId}, account_id, runbook_url, notes, owner_id from check_notes where check_id = ${fromId}`
}

/** Whether the account has this member, who then stays until the transaction ends. */
export const keepMember = async (tx: Transaction, accountId: string, userId: string): Promise<boolean> => {
  const found = await tx`
    select from users where id = ${userId} and account_id = ${accountId} for key share`
  return found.length > 0
}
