import { execFileSync } from 'node:child_process'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { startProxy, type Proxy } from '@probe-mesh/infra/testing/proxy'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { connectPostgres, isPostgresUnavailable, type Sql, type Transaction } from './connect.ts'
import { transact } from './transact.ts'

const database = useTestDatabase()
/** Observes from another connection. */
const observer = database.use({ connectionsMax: 1 })
let proxy: Proxy
/** One connection through a proxy that can be interrupted. */
let sql: Sql
const uncaught: unknown[] = []
const note = (error: unknown): void => void uncaught.push(error)

beforeAll(async () => {
  proxy = await startProxy(Number(new URL(database.url).port))
  await observer.unsafe(`
    create table notes (text text primary key);
    create function wait_at_commit() returns trigger language plpgsql as $$
      begin if new.text = 'slow' then perform pg_sleep(30); end if; return null; end $$;
    create constraint trigger waits after insert on notes deferrable initially deferred
      for each row execute function wait_at_commit();`)
})
beforeEach(() => {
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  const url = new URL(database.url)
  url.port = String(proxy.port)
  sql = connectPostgres(String(url), { connectionsMax: 1 })
})
afterEach(async () => {
  proxy.pass()
  await sql.end({ timeout: 5 })
  // a server does not notice that a client disconnected during a statement
  await endBackends()
  process.off('uncaughtException', note)
  process.off('unhandledRejection', note)
  await observer`truncate notes`
  expect(uncaught.splice(0)).toEqual([])
})
afterAll(async () => {
  await proxy.close()
})

const backends = () => observer<{ waits: boolean }[]>`
  select wait_event = 'PgSleep' as waits from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name = 'probe-mesh'
    and backend_type = 'client backend'`

const endBackends = async (): Promise<void> => {
  await observer`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`
}

/** Ways to lose a connection: with or without a message from the server. */
const losses = {
  'the server ends it': () => endBackends(),
  'it is reset': async () => proxy.refuse(),
} as const
type Loss = keyof typeof losses
const lossNames = Object.keys(losses) as Loss[]

const untilItSleeps = () => vi.waitFor(async () => expect(await backends()).toEqual([{ waits: true }]))

/** The error of a transaction whose caller must not wait for its work. */
const errorOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => 'no error',
    (error: unknown) => error,
  )

const expectThePoolWorks = async (): Promise<void> => {
  proxy.pass()
  const write = () => transact(sql, (tx) => tx`insert into notes values ('after')`)
  await vi.waitFor(write)
  expect(await sql`select text from notes`).toEqual([{ text: 'after' }])
}

const add = (tx: Transaction, text: string) => tx`insert into notes values (${text})`

describe.for(lossNames)('a connection is lost: %s', (loss) => {
  test.for([
    ['whose work passes the error on', async (statement: Promise<unknown>) => void (await statement)],
    [
      'whose work throws an error of its own',
      async (statement: Promise<unknown>) => {
        await statement.catch((cause: unknown) => {
          throw new Error('the work failed', { cause })
        })
      },
    ],
    [
      'whose work continues with another statement',
      async (statement: Promise<unknown>, tx: Transaction) => {
        await statement.catch(() => {})
        await add(tx, 'second')
      },
    ],
    [
      'whose work ignores the error',
      async (statement: Promise<unknown>) => {
        await statement.catch(() => {})
      },
    ],
  ] as const)('a transaction in a statement, %s, ends with an error that says so', async ([, react]) => {
    const error = errorOf(
      transact(sql, async (tx) => {
        await add(tx, 'first')
        await react(tx`select pg_sleep(30)`.execute(), tx)
      }),
    )
    await untilItSleeps()
    await losses[loss]()
    expect(await error).toSatisfy(isPostgresUnavailable)
    await expectThePoolWorks()
  })

  test.for([
    ['sends another statement', (tx: Transaction) => add(tx, 'second')],
    ['returns', () => Promise.resolve()],
    ['throws', () => Promise.reject(new Error('the work failed'))],
  ] as const)(
    'a transaction between two statements has its error at once, and work that then %s has no effect',
    async ([, goOn]) => {
      const between = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      const error = errorOf(
        transact(sql, async (tx) => {
          await add(tx, 'first')
          between.resolve()
          await gate.promise
          try {
            await goOn(tx)
          } finally {
            gone.resolve()
          }
        }),
      )
      await between.promise
      await losses[loss]()
      expect(await error).toSatisfy(isPostgresUnavailable)
      gate.resolve()
      await gone.promise
      await expectThePoolWorks()
    },
  )

  test('a transaction whose connection is lost at its commit ends with that error', async () => {
    const error = errorOf(transact(sql, (tx) => add(tx, 'slow')))
    await untilItSleeps()
    await losses[loss]()
    expect(await error).toSatisfy(isPostgresUnavailable)
    await expectThePoolWorks()
  })
})

/** Blocks this process until the server has ended its idle transaction. */
const blockUntilEnded = (): void => {
  const program = `
    import postgres from 'postgres'
    const sql = postgres('${database.url}', { max: 1 })
    const idle = () => sql\`select from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'\`
    while ((await idle()).length > 0);
    await sql.end()`
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: import.meta.dirname })
}

test('a process paused in a transaction finds it ended, with an error that can be retried', async () => {
  const error = errorOf(
    transact(sql, async (tx) => {
      await add(tx, 'first')
      await tx`set local idle_in_transaction_session_timeout = 50`
      // like SIGSTOP: nothing is read during it, and the next action is to send a statement
      blockUntilEnded()
      await add(tx, 'second')
    }),
  )
  expect(await error).toSatisfy(isPostgresUnavailable)
  await expectThePoolWorks()
})

test('a statement that ran or waited too long wrote nothing, with an error that can be retried', async () => {
  const slow = transact(sql, async (tx) => {
    await tx`set local statement_timeout = 50`
    await tx`select pg_sleep(30)`
  })
  expect(await errorOf(slow)).toSatisfy(isPostgresUnavailable)
  await observer.begin(async (holder) => {
    await holder`lock table notes`
    const waiting = transact(sql, async (tx) => {
      await tx`set local lock_timeout = 50`
      await add(tx, 'first')
    })
    expect(await errorOf(waiting)).toSatisfy(isPostgresUnavailable)
  })
  await expectThePoolWorks()
})

test('a full server refuses a statement, and the transaction fails with its error', async () => {
  const work = (tx: Transaction) => tx`do $$ begin raise exception 'full' using errcode = '53100'; end $$`
  await expect(transact(sql, work)).rejects.toMatchObject({ code: '53100' })
  await expectThePoolWorks()
})

describe('nothing is kept', () => {
  test('of work that throws, and its error is passed on', async () => {
    const failure = new Error('the work failed')
    const work = async (tx: Transaction): Promise<void> => {
      await add(tx, 'first')
      throw failure
    }
    await expect(transact(sql, work)).rejects.toBe(failure)
    expect(await sql`select from notes`).toHaveLength(0)
  })

  test('of work whose statement fails, even if the work ignores that', async () => {
    const work = async (tx: Transaction): Promise<void> => {
      await add(tx, 'first')
      await add(tx, 'first').catch(() => {})
    }
    await expect(transact(sql, work)).rejects.toMatchObject({ code: '23505' })
    expect(await sql`select from notes`).toHaveLength(0)
  })

  test('of work that refuses, and the refusal is returned', async () => {
    const refusal = refuse('SV-3002')
    const work = async (tx: Transaction) => {
      await add(tx, 'first')
      return refusal
    }
    expect(await transact(sql, work)).toBe(refusal)
    expect(await sql`select from notes`).toHaveLength(0)
  })
})

test('all writes are kept of work that returns', async () => {
  const work = async (tx: Transaction) => {
    await add(tx, 'first')
    await add(tx, 'second')
    return 'done'
  }
  expect(await transact(sql, work)).toBe('done')
  expect(await sql`select from notes`).toHaveLength(2)
})
