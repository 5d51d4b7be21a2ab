import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { expect, test } from 'vitest'
import { isAnyOpen } from '../../notifications/open-deliveries-store.ts'
import type { Sql, Transaction } from '../../stores/postgres/connect.ts'
import { transact } from '../../stores/postgres/transact.ts'
import { findDue } from './find-due.ts'

const sql = useTestSql()
const nowMs = 1_800_000_000_000
const id = '00000000-0000-4000-8000-000000000001'

/** Adds what is due at `dueAt`, asks, and takes it back. References need not exist. */
const asked = async <T>(
  add: (tx: Transaction) => Promise<unknown>,
  ask: (db: Sql) => Promise<T>,
): Promise<T> => {
  const undo = new Error('undo')
  let answer: T | undefined
  const trying = transact(sql, async (tx) => {
    await tx`set local session_replication_role = replica`
    await add(tx)
    answer = await ask(tx as never)
    throw undo
  })
  await expect(trying).rejects.toBe(undo)
  return answer as T
}

type Add = (tx: Transaction, dueAt: Date) => Promise<unknown>
const outbox =
  (kind: string): Add =>
  (tx, dueAt) =>
    tx`
    insert into outbox (id, kind, payload, created_at, attempts, next_attempt_at)
    values (${id}, ${kind}, '{}', ${dueAt}, 0, ${dueAt})`

test.each<[string, Add, boolean]>([
  ['a flip', outbox('alert'), true],
  ['news of errors', outbox('error'), true],
  ['what another loop does', outbox('mail'), false],
  [
    'an alert',
    (tx, dueAt) => tx`
      insert into alerts (rule_id, check_id, account_id, state, next_at) values (${id}, ${id}, ${id}, '{}', ${dueAt})`,
    true,
  ],
  [
    'a held failure',
    (tx, dueAt) => tx`
      insert into held_failures (status_page_id, check_id, account_id, down_at, next_at)
      values (${id}, ${id}, ${id}, ${dueAt}, ${dueAt})`,
    true,
  ],
  [
    'a hand-over',
    (tx, dueAt) => tx`
      insert into on_call_schedules (id, account_id, name, time_zone, layers, overrides, feed_id, next_look_at, created_at)
      values (${id}, ${id}, 'a', 'UTC', '[]', '[]', ${id}, ${dueAt}, ${dueAt})`,
    true,
  ],
  [
    'messages of a receiver',
    (tx, dueAt) => tx`
      insert into alert_gatherings (receiver_id, account_id, kind, opened_at, send_at, told_since, told, in_storm)
      values (${id}, ${id}, 'mail', ${dueAt}, ${dueAt}, ${dueAt}, 0, false)`,
    true,
  ],
  [
    'a digest of errors',
    (tx, dueAt) => tx`
      insert into error_rule_states (rule_id, account_id, bound, tell_at) values (${id}, ${id}, '{}', ${dueAt})`,
    true,
  ],
])('the alerter finds work when it is due and not before: %s', async (_, add, isDue) => {
  const at = async (dueMs: number) =>
    (
      await asked(
        (tx) => add(tx, new Date(dueMs)),
        (db) => findDue(db, nowMs),
      )
    ).isDue
  expect([await at(nowMs + 1), await at(nowMs)]).toEqual([false, isDue])
})

test('without error tracking its work is nobody’s, and the next messages of a receiver have a time', async () => {
  const off = { errorTracking: 'off' } as const
  const errors = await asked(
    (tx) => outbox('error')(tx, new Date(nowMs)),
    (db) => findDue(db, nowMs, off),
  )
  expect(errors).toEqual({ isDue: false, nextSendMs: null })
  const later = new Date(nowMs + 2_000)
  const gathering = await asked(
    (tx) => tx`
      insert into alert_gatherings (receiver_id, account_id, kind, opened_at, send_at, told_since, told, in_storm)
      values (${id}, ${id}, 'mail', ${later}, ${later}, ${later}, 0, false)`,
    (db) => findDue(db, nowMs),
  )
  expect(gathering).toEqual({ isDue: false, nextSendMs: nowMs + 2_000 })
})

test('messages wait while one is pending, or is remembered with its alerts', async () => {
  expect(await isAnyOpen(sql)).toBe(false)
  const carried = asked(
    (tx) => tx`
      insert into carried_messages (cause, sequence, delivery_id, account_id, receiver_id, check_id, message, created_at)
      values ('a', 1, ${id}, ${id}, ${id}, ${id}, '{}', ${new Date(nowMs)})`,
    isAnyOpen,
  )
  expect(await carried).toBe(true)
})
