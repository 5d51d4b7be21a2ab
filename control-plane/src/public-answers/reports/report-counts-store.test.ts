import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, describe, expect, test } from 'vitest'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import {
  findCountedQuarters,
  findReportCounts,
  pruneReportCounts,
  writeReportCounts,
  type ReportBatch,
  type ReportCount,
} from './report-counts-store.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const quarterMs = 15 * 60_000

const database = useTestDatabase()
const owner = database.use({ connectionsMax: 1 })
const sql = database.use({ connectionsMax: 8, role: 'probe_mesh_system' })
beforeEach(() => owner`truncate report_counts, report_quarters, report_writers`)

const count = (more: Partial<ReportCount> = {}): ReportCount => ({
  slug: 'github',
  region: 'fra',
  quarterMs: t0,
  reports: 1,
  ...more,
})
const batch = (sequence: number, ...counts: ReportCount[]): ReportBatch => ({
  sequence,
  quarters: [t0],
  counts,
})
const write = (writer: string, what: ReportBatch) => writeReportCounts(sql, writer, what, t0)
const newWriter = () => uuidv7(t0)

describe('a batch of counts', () => {
  test('adds to the stored counts of all writers', async () => {
    const [one, other] = [newWriter(), newWriter()]
    await write(one, batch(1, count({ reports: 2 }), count({ slug: 'gitlab' })))
    await write(other, batch(1, count({ reports: 3 })))
    await write(one, batch(2, count({ reports: 4 }), count({ region: 'unknown' })))
    expect(await findReportCounts(sql, t0)).toEqual([
      count({ reports: 9 }),
      count({ region: 'unknown' }),
      count({ slug: 'gitlab' }),
    ])
  })

  test('counts once if it is sent several times, one after another or concurrently', async () => {
    const writer = newWriter()
    const first = batch(1, count({ reports: 5 }))
    await Promise.all(Array.from({ length: 8 }, () => write(writer, first)))
    await write(writer, first)
    expect(await findReportCounts(sql, t0)).toEqual([count({ reports: 5 })])
  })

  test('is ignored if a later batch was written first', async () => {
    const writer = newWriter()
    await write(writer, batch(2, count()))
    await write(writer, batch(1, count({ reports: 100 })))
    expect(await findReportCounts(sql, t0)).toEqual([count()])
  })

  test('writes nothing if one of its rows is refused', async () => {
    const writer = newWriter()
    const wrong = batch(1, count(), count({ slug: 'gitlab', reports: 2 ** 40 }))
    await expect(write(writer, wrong)).rejects.toThrow('out of range')
    expect(await findReportCounts(sql, t0)).toEqual([])
    expect(await findCountedQuarters(sql, [t0])).toEqual([])
    await write(writer, batch(1, count()))
    expect(await findReportCounts(sql, t0)).toEqual([count()])
  })

  test('adds up with those of concurrent writers to the same rows in different orders', async () => {
    const slugs = Array.from({ length: 50 }, (_, n) => `s${n}`)
    const writers = Array.from({ length: 8 }, newWriter)
    for (const sequence of [1, 2, 3]) {
      await Promise.all(
        writers.map((writer, at) => {
          const order = at % 2 === 0 ? slugs : slugs.toReversed()
          return write(writer, batch(sequence, ...order.map((slug) => count({ slug }))))
        }),
      )
    }
    const counts = await findReportCounts(sql, t0)
    expect(counts.map(({ reports }) => reports)).toEqual(slugs.map(() => 24))
  })
})

test('a quarter without reports is counted, unlike a quarter without a running writer', async () => {
  const quiet = t0 + quarterMs
  await write(newWriter(), {
    sequence: 1,
    quarters: [t0, quiet],
    counts: [count({ reports: 2 }), count({ region: 'iad', reports: 3 }), count({ slug: 'gitlab' })],
  })
  await write(newWriter(), batch(1))
  const rows = await findCountedQuarters(sql, [t0, quiet, t0 + 2 * quarterMs])
  expect(rows.toSorted((a, b) => b.reports - a.reports)).toEqual([
    { quarterMs: t0, slug: 'github', reports: 5 },
    { quarterMs: t0, slug: 'gitlab', reports: 1 },
    { quarterMs: quiet, slug: null, reports: 0 },
  ])
})

test('pruning deletes older rows, limited per call', async () => {
  const old = Array.from({ length: 3 }, (_, n) => count({ quarterMs: t0 - quarterMs, slug: `s${n}` }))
  await write(newWriter(), {
    sequence: 1,
    quarters: [t0 - quarterMs, t0],
    counts: [...old, count()],
  })
  expect(await pruneReportCounts(sql, t0, 2)).toBe(2)
  expect(await pruneReportCounts(sql, t0, 2)).toBe(1)
  expect(await pruneReportCounts(sql, t0, 2)).toBe(0)
  expect(await findReportCounts(sql, 0)).toEqual([count()])
  expect(await findCountedQuarters(sql, [t0 - quarterMs])).toEqual([])
  await pruneReportCounts(sql, t0 + 1, 2)
  expect(await owner`select from report_writers`).toHaveLength(0)
})

test.each(['report_counts', 'report_quarters', 'report_writers'])(
  '%s has no column about a person, and the account role cannot read it',
  async (table) => {
    const columns = await owner<{ name: string }[]>`
      select column_name as name from information_schema.columns where table_name = ${table}`
    const allowed = new Set(['quarter_at', 'slug', 'region', 'reports', 'id', 'sequence', 'written_at'])
    expect(columns.filter(({ name }) => !allowed.has(name))).toEqual([])
    const account = connectPostgres(database.url, {
      connectionsMax: 1,
      role: 'probe_mesh_account',
    })
    await expect(account`select from ${account(table)}`).rejects.toMatchObject({ code: '42501' })
    await account.end()
  },
)
