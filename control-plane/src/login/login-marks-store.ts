import { markKeptMs, marksOfUserMax } from '@probe-mesh/contracts/account/login-rules'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import type { UserRecord } from './users-store.ts'

/** A known browser or network: it logged in to an account before. */
export type LoginMark = { kind: 'browser' | 'network'; mark: Uint8Array }

/** The valid marks among these, by kind. */
export const findLoginMarks = async (
  db: Connection,
  marks: readonly LoginMark[],
  nowMs: number,
): Promise<ReadonlyMap<LoginMark['kind'], { accountId: string }>> => {
  const rows = await db<{ kind: LoginMark['kind']; account_id: string }[]>`
    select kind, account_id from login_marks
    where mark in (select decode(hex, 'hex') from unnest(${marks.map(({ mark }) => hex(mark))}::text[]) as hex)
      and expires_at > ${new Date(nowMs)}`
  return new Map(rows.map((row) => [row.kind, { accountId: row.account_id }]))
}

/** Stores a browser or network of a user. Beyond the limit the least recently used one is deleted. */
export const saveLoginMark = async (
  tx: Transaction,
  user: Pick<UserRecord, 'id' | 'accountId'>,
  { kind, mark }: LoginMark,
  nowMs: number,
): Promise<void> => {
  await tx`
    insert into login_marks (mark, account_id, user_id, kind, seen_at, expires_at)
    values (${mark}, ${user.accountId}, ${user.id}, ${kind}, ${new Date(nowMs)},
      ${new Date(nowMs + markKeptMs[kind])})
    on conflict (mark) do update set account_id = excluded.account_id, user_id = excluded.user_id,
      seen_at = excluded.seen_at, expires_at = excluded.expires_at`
  await tx`
    delete from login_marks where mark in (
      select mark from login_marks where user_id = ${user.id} and kind = ${kind}
      order by seen_at desc, mark offset ${marksOfUserMax})`
}

/** Deletes all known browsers and networks of a user. */
export const deleteLoginMarks = async (db: Connection, userId: string): Promise<void> => {
  await db`delete from login_marks where user_id = ${userId}`
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
