import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { createKey } from '../create-key.ts'
import { insertAccount } from '../accounts-store.ts'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { createBudgets } from './budgets.ts'
import type { Budgets } from './budgets.ts'
import type { BudgetOwner } from './counter.ts'

export type TestInstance = Budgets & { logged: string[]; metrics(): Promise<string> }

/** One Postgres, its clock, and instances that count budgets in it. */
export type BudgetTest = {
  sql: Sql
  /** The clock of the database, milliseconds. */
  now(): number
  pass(ms: number): void
  /** A key that nobody has used. */
  key(): Promise<BudgetOwner>
  /** One more key of an account. */
  anotherKey(accountId: string, name: string): Promise<BudgetOwner>
  /**
   * @param options.skewMs how far the instance's clock is ahead of the database's
   * @param options.tripMsMax how long a call waits for Postgres, which may be slow in a test
   */
  instance(options?: {
    scale?: number
    skewMs?: number
    tripMsMax?: number
    sql?: Sql
  }): TestInstance
  close(): Promise<void>
}

export const startBudgetTest = async (): Promise<BudgetTest> => {
  const database = await createTestDatabase()
  const owner = connectPostgres(database.url, { connectionsMax: 1 })
  const sql = connectPostgres(database.url, { connectionsMax: 4, role: 'probe_mesh_system' })
  const instances = new Set<Budgets>()
  let nowMs = 1_800_000_000_000

  const makeKey = async (accountId: string, name: string): Promise<BudgetOwner> => {
    const made = await createKey(
      { sql: owner, now: () => nowMs },
      { accountId, name, scope: 'read_write' },
    )
    if (isRefusal(made)) throw new Error(made.message)
    return { keyId: made.key.id, accountId }
  }

  return {
    sql,
    now: () => nowMs,
    pass: (ms) => {
      nowMs += ms
    },
    key: async () => {
      const accountId = uuidv7(nowMs)
      await insertAccount(owner, {
        id: accountId,
        name: 'an account',
        tier: 'scale',
        createdAtMs: nowMs,
      })
      return makeKey(accountId, 'a key')
    },
    anotherKey: makeKey,
    instance: ({ scale = 1, skewMs = 0, tripMsMax = 30_000, sql: own = sql } = {}) => {
      const registry = new Registry()
      const logged: string[] = []
      const budgets = createBudgets({
        sql: own,
        scale,
        registry,
        now: () => nowMs + skewMs,
        databaseNow: () => nowMs,
        tripMsMax,
        log: pino({ level: 'info' }, { write: (line: string) => logged.push(line) }),
      })
      instances.add(budgets)
      return { ...budgets, logged, metrics: () => registry.metrics() }
    },
    close: async () => {
      await Promise.all([...instances].map((instance) => instance.close()))
      await Promise.all([sql.end(), owner.end()])
      await database.close()
    },
  }
}
