import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** Failed logins of one subject: an e-mail address or a network. */
export type Attempts = { failures: number; blockedUntilMs: number }

/**
 * The attempts of subjects, locked until the transaction ends, so that concurrent attempts are counted one
 * after another. null for a subject without attempts, or with expired ones.
 * @param subjects the sha-256 of each
 */
export const lockAttempts = async (
  tx: Transaction,
  subjects: readonly Uint8Array[],
  nowMs: number,
): Promise<(Attempts | null)[]> => {
  const now = new Date(nowMs)
  // always in the same order, to avoid deadlocks
  const rows = await tx<(Attempts & { subject: string; expiresAtMs: number })[]>`
    insert into login_attempts (subject, failures, blocked_until, expires_at)
    select decode(hex, 'hex'), 0, ${now}, ${now} from unnest(${sorted(subjects)}::text[]) as hex order by hex
    on conflict (subject) do update set failures = login_attempts.failures
    returning encode(subject, 'hex') as subject, failures, ${epochMs(tx, 'blocked_until')} as "blockedUntilMs",
      ${epochMs(tx, 'expires_at')} as "expiresAtMs"`
  const found = new Map(
    rows
      .filter(({ expiresAtMs }) => expiresAtMs > nowMs)
      .map(({ subject, failures, blockedUntilMs }) => [subject, { failures, blockedUntilMs }]),
  )
  return subjects.map((subject) => found.get(hex(subject)) ?? null)
}

/** Stores the attempts of subjects that this transaction locked. */
export const updateAttempts = async (
  tx: Transaction,
  counted: readonly { subject: Uint8Array; attempts: Attempts; expiresAtMs: number }[],
): Promise<void> => {
  const rows = counted.map(({ subject, attempts, expiresAtMs }) => ({
    subject: hex(subject),
    failures: attempts.failures,
    blocked_until: new Date(attempts.blockedUntilMs).toISOString(),
    expires_at: new Date(expiresAtMs).toISOString(),
  }))
  await tx`
    update login_attempts set failures = counted.failures, blocked_until = counted.blocked_until,
      expires_at = counted.expires_at
    from jsonb_to_recordset(${tx.json(rows)}) as counted
      (subject text, failures integer, blocked_until timestamptz, expires_at timestamptz)
    where login_attempts.subject = decode(counted.subject, 'hex')`
}

/** Removes one attempt of each subject, and the wait that it started. */
export const uncountAttempts = async (db: Connection, subjects: readonly Uint8Array[]): Promise<void> => {
  await db`
    with locked as (
      select subject from login_attempts
      where subject in (select decode(hex, 'hex') from unnest(${sorted(subjects)}::text[]) as hex)
      order by subject for update)
    update login_attempts set failures = greatest(failures - 1, 0), blocked_until = to_timestamp(0)
    from locked where login_attempts.subject = locked.subject`
}

export const deleteAttempts = async (db: Connection, subject: Uint8Array): Promise<void> => {
  await db`delete from login_attempts where subject = ${subject}`
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const sorted = (subjects: readonly Uint8Array[]): string[] => subjects.map(hex).toSorted()
