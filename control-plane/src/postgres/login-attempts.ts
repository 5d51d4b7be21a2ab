import type { Connection, Transaction } from './connect.ts'

/** How often logging in failed about one subject: an e-mail address, or where requests come from. */
export type Attempts = { failures: number; blockedUntilMs: number }

/**
 * What is known of subjects, each locked until the transaction ends: attempts at the same time are
 * counted one after another. Nothing is known of a subject whose attempts have expired.
 * @param subjects sha-256 of each
 */
export const lockAttempts = async (
  transaction: Transaction,
  subjects: readonly Uint8Array[],
  nowMs: number,
): Promise<(Attempts | null)[]> => {
  const now = new Date(nowMs)
  const found = new Map<string, Attempts>()
  // in one order for everybody, so that nobody waits in a circle
  for (const subject of subjects.toSorted((a, b) => Buffer.compare(a, b))) {
    await transaction`
      insert into login_attempts (subject, failures, blocked_until, expires_at)
      values (${subject}, 0, ${now}, ${now}) on conflict (subject) do nothing`
    const [row] = await transaction<{ failures: number; blocked_until: Date; expires_at: Date }[]>`
      select failures, blocked_until, expires_at from login_attempts
      where subject = ${subject} for update`
    if (row === undefined || row.expires_at.getTime() <= nowMs) continue
    const attempts = { failures: row.failures, blockedUntilMs: row.blocked_until.getTime() }
    found.set(hex(subject), attempts)
  }
  return subjects.map((subject) => found.get(hex(subject)) ?? null)
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export const updateAttempts = async (
  transaction: Transaction,
  subject: Uint8Array,
  { failures, blockedUntilMs }: Attempts,
  expiresAtMs: number,
): Promise<void> => {
  await transaction`
    insert into login_attempts (subject, failures, blocked_until, expires_at)
    values (${subject}, ${failures}, ${new Date(blockedUntilMs)}, ${new Date(expiresAtMs)})
    on conflict (subject) do update set failures = excluded.failures,
      blocked_until = excluded.blocked_until, expires_at = excluded.expires_at`
}

/** Takes back one attempt that turned out to be none, and the wait that it began. */
export const takeBackAttempt = async (
  connection: Connection,
  subject: Uint8Array,
  nowMs: number,
): Promise<void> => {
  await connection`
    update login_attempts set failures = greatest(failures - 1, 0), blocked_until = ${new Date(nowMs)}
    where subject = ${subject}`
}

export const deleteAttempts = async (
  connection: Connection,
  subject: Uint8Array,
): Promise<void> => {
  await connection`delete from login_attempts where subject = ${subject}`
}
