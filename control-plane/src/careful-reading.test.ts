import type { StreamMessage } from '@probe-mesh/bus/port'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { beginReading } from './careful-reading.ts'
import { connectPostgres } from './postgres/connect.ts'
import type { Sql } from './postgres/connect.ts'
import type { StreamReader } from './postgres/message-attempts.ts'
import { createSetAside } from './readings/set-aside.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let sql: Sql
beforeAll(async () => {
  database = await createTestDatabase()
  sql = connectPostgres(database.url)
})
afterAll(async () => {
  await sql.end()
  await database.close()
})
beforeEach(() => sql`delete from message_attempts`)

const nowMs = Date.now()
const backlog: StreamMessage[] = [1, 2, 3, 4, 5, 6].map((sequence) => ({
  partition: 3,
  sequence,
  data: new Uint8Array(),
  storedAt: nowMs - 1_000,
}))

/** A life of a process that dies where it reads `fatal`; what it read before, by the parts. */
const live = async (
  fatal: number | null,
  options: { afterDeath?: boolean; consumer?: StreamReader } = {},
) => {
  const { afterDeath = true, consumer = 'ingest' } = options
  const setAside = createSetAside()
  const parts: number[][] = []
  const reading = await beginReading({
    sql,
    lease: { partition: 3, epoch: 1, afterDeath },
    consumer,
    setAside,
    retry: (attempt) => attempt(),
    log: pino({ level: 'silent' }),
    now: () => nowMs,
  })
  const { promise: died, resolve: die } = Promise.withResolvers<'died'>()
  const take = async (messages: readonly StreamMessage[]) => {
    await reading.take(messages, async (some) => {
      const read = some.filter((message) => !setAside.has(message))
      parts.push(read.map(({ sequence }) => sequence))
      if (!read.some(({ sequence }) => sequence === fatal)) return
      die('died')
      await new Promise(() => {})
    })
    return 'lived' as const
  }
  const end = await Promise.race([take(backlog), died])
  return { end, parts, setAside, take }
}
const noted = async () => (await sql`select from message_attempts`).count

test('a message on which two processes died while they read it is not read by a third', async () => {
  expect((await live(4)).end).toBe('died')
  const second = await live(4)
  expect(second.end).toBe('died')
  expect(second.parts).toEqual([[1], [2], [3], [4]])
  const third = await live(4)
  expect(third.end).toBe('lived')
  expect(third.parts.flat()).toEqual([1, 2, 3, 5, 6])
})

test('a message that was set aside stays so, for the other reader of the stream as well', async () => {
  for (let life = 0; life < 3; life++) await live(4)
  expect((await live(4)).end).toBe('lived')
  expect((await live(4, { consumer: 'assess' })).parts.flat()).toEqual([1, 2, 3, 5, 6])
})

test('one death sets nothing aside: what waited is read in one part, and the note of it ends', async () => {
  const { end, parts } = await live(null)
  expect([end, parts]).toEqual(['lived', [[1, 2, 3, 4, 5, 6]]])
  expect(await noted()).toBe(0)
})

test('a range in which nothing kills any more is forgotten once all of the backlog is read', async () => {
  await live(4)
  const { take } = await live(null)
  await take([])
  expect(await noted()).toBe(0)
})

test('a partition that was given back in order is neither noted nor read twice', async () => {
  const { parts } = await live(4, { afterDeath: false })
  expect(parts).toEqual([])
  expect(await noted()).toBe(0)
})

test('the same sequence of a stream that was made anew is read', async () => {
  for (let life = 0; life < 2; life++) await live(4)
  const { setAside } = await live(4)
  const [, , , fourth] = backlog
  if (fourth === undefined) throw new Error('there are six')
  expect(setAside.has(fourth)).toBe(true)
  expect(setAside.has({ ...fourth, storedAt: fourth.storedAt + 1 })).toBe(false)
})

test('what came after the taking is read as ever', async () => {
  const { take, parts } = await live(null)
  const before = parts.length
  await take([{ partition: 3, sequence: 7, data: new Uint8Array(), storedAt: nowMs + 120_000 }])
  await take(backlog)
  expect(parts).toHaveLength(before)
})
