import type { Transaction } from '../stores/postgres/connect.ts'

/** A check that went down under maintenance of a page. Times are Unix milliseconds. */
export type HeldFailure = {
  statusPageId: string
  checkId: string
  reason: string | null
  downAtMs: number
}

/** Keeps failures back, and those that are kept already until `nextMs`. */
export const holdFailures = async (
  tx: Transaction,
  failures: readonly (HeldFailure & { accountId: string; nextMs: number })[],
): Promise<void> => {
  if (failures.length === 0) return
  const rows = failures.map((failure) => ({
    status_page_id: failure.statusPageId,
    check_id: failure.checkId,
    account_id: failure.accountId,
    reason: failure.reason,
    down_at: new Date(failure.downAtMs).toISOString(),
    next_at: new Date(failure.nextMs).toISOString(),
  }))
  await tx`
    insert into held_failures (status_page_id, check_id, account_id, reason, down_at, next_at)
    select * from jsonb_to_recordset(${tx.json(rows)}) as f (status_page_id uuid,
      check_id uuid, account_id uuid, reason text, down_at timestamptz, next_at timestamptz)
    on conflict (status_page_id, check_id) do update set next_at = excluded.next_at`
}

/** What is down no more is not kept back any longer. */
export const dropHeldFailures = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<void> => {
  await tx`
    delete from held_failures where check_id = any(${[...checkIds]}::uuid[])`
}

/** Checks of which something is kept back that must be looked at again. */
export const findDueHeldChecks = async (
  tx: Transaction,
  nowMs: number,
  limit: number,
): Promise<string[]> => {
  const rows = await tx<{ check_id: string }[]>`
    select distinct check_id from (
      select check_id from held_failures where next_at <= ${new Date(nowMs)}
      order by next_at limit ${limit}) as due`
  return rows.map((row) => row.check_id)
}

/** Takes what is kept back of these checks and due. */
export const takeHeldFailures = async (
  tx: Transaction,
  checkIds: readonly string[],
  nowMs: number,
): Promise<HeldFailure[]> => {
  const rows = await tx<
    { status_page_id: string; check_id: string; reason: string | null; down_at: Date }[]
  >`
    delete from held_failures
    where check_id = any(${[...checkIds]}::uuid[]) and next_at <= ${new Date(nowMs)}
    returning status_page_id, check_id, reason, down_at`
  return rows.map((row) => ({
    statusPageId: row.status_page_id,
    checkId: row.check_id,
    reason: row.reason,
    downAtMs: row.down_at.getTime(),
  }))
}
