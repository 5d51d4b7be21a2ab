import pino from 'pino'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { Registry } from 'prom-client'
import { createKey } from '../keys.ts'
import { insertAccount } from '../accounts-store.ts'
import { connectPostgres, type Sql } from '../../stores/postgres/connect.ts'
import { createKeyRateLimiter, type KeyRateLimiter } from './key-rate-limiter.ts'
import type { QuotaOwner } from './quota-counter.ts'

export type TestInstance = KeyRateLimiter & { logged: string[]; metrics(): Promise<string> }

/** One Postgres, its clock, and instances that count quotas in it. */
export type RateLimitTest = {
  sql: Sql
  /** The clock of the database, milliseconds. */
  now(): number
  pass(ms: number): void
  /** An unused key. */
  key(): Promise<QuotaOwner>
  /** One more key of an account. */
  anotherKey(accountId: string, name: string): Promise<QuotaOwner>
  /**
   * @param options.skewMs how far the instance's clock is ahead of the database's
   * @param options.queryMsMax how long a call waits for Postgres, which may be slow in tests
   */
  instance(options?: { scale?: number; skewMs?: number; queryMsMax?: number; sql?: Sql }): TestInstance
  close(): Promise<void>
}

export const startRateLimitTest = async (): Promise<RateLimitTest> => {
  const database = await createTestDatabase()
  const owner = connectPostgres(database.url, { connectionsMax: 1 })
  const sql = connectPostgres(database.url, { connectionsMax: 4, role: 'probe_mesh_system' })
  const instances = new Set<KeyRateLimiter>()
  let nowMs = 1_800_000_000_000

  const makeKey = async (accountId: string, name: string): Promise<QuotaOwner> => {
    const made = await createKey({ sql: owner, now: () => nowMs }, { accountId, name, scope: 'read_write' })
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
    instance: ({ scale = 1, skewMs = 0, queryMsMax = 30_000, sql: own = sql } = {}) => {
      const registry = new Registry()
      const logged: string[] = []
      const limiter = createKeyRateLimiter({
        sql: own,
        scale,
        registry,
        now: () => nowMs + skewMs,
        databaseNow: () => nowMs,
        queryMsMax,
        log: pino({ level: 'info' }, { write: (line: string) => logged.push(line) }),
      })
      instances.add(limiter)
      return { ...limiter, logged, metrics: () => registry.metrics() }
    },
    close: async () => {
      await Promise.all([...instances].map((instance) => instance.close()))
      await Promise.all([sql.end(), owner.end()])
      await database.close()
    },
  }
}
