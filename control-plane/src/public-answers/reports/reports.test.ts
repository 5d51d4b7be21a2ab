import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test, vi } from 'vitest'
import { quarterMs, reportVolume } from '../unusual-reports.ts'
import { startReportTest, t0, type TestInstance } from './testing.ts'

const minuteMs = 60_000
const weekMs = 7 * 86_400_000

const at = useEach(() => startReportTest())

/** The loop runs every two seconds. */
const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check)

const visitor = (n: number): string => `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`
const report = (n = 1, slug = 'github', region = 'fra') => ({ slug, region, address: visitor(n) })
const countedBy = (instance: TestInstance, slug = 'github'): number =>
  instance.counts.minutesOf(slug).reduce((sum, { count }) => sum + count, 0)
/** All written reports on a service. */
const written = async (slug = 'github'): Promise<number> => {
  const [row] = await at.sql<{ reports: number }[]>`
    select coalesce(sum(reports), 0)::integer as reports from report_counts where slug = ${slug}`
  return row?.reports ?? -1
}

describe('one instance', () => {
  test('counts an address once per service and quarter of an hour', async () => {
    const { counts, write } = await at.instance()
    expect([1, 2, 1].map((n) => counts.record(report(n)))).toEqual([true, true, false])
    expect(counts.record(report(1, 'gitlab'))).toBe(true)
    expect(counts.record(report(1, 'github', 'iad'))).toBe(false)
    at.pass(quarterMs)
    expect(counts.record(report(1))).toBe(true)
    await write()
    expect([await written(), await written('gitlab')]).toEqual([3, 1])
  })

  test('does not count reports on a service outside the catalog', async () => {
    const instance = await at.instance()
    expect(instance.counts.record(report(1, 'made-up'))).toBe(false)
    expect(countedBy(instance, 'made-up')).toBe(0)
    await instance.write()
    expect(await written('made-up')).toBe(0)
  })

  test('counts the outcomes of reports in its metrics', async () => {
    const { counts, metrics, write } = await at.instance()
    for (const n of [1, 2, 2]) counts.record(report(n))
    expect(await metrics()).toContain('reports_total{outcome="counted"} 2')
    expect(await metrics()).toContain('reports_total{outcome="repeated"} 1')
    expect(await metrics()).toContain('reports_remembered 2')
    expect(await metrics()).toContain('reports_unwritten_counts 1')
    await write()
    expect(await metrics()).toContain('reports_unwritten_counts 0')
  })

  test('restores the counts of the last hour after a restart, and no older ones', async () => {
    const first = await at.instance()
    first.counts.record(report(1))
    at.pass(50 * minuteMs)
    for (const n of [2, 3, 4]) first.counts.record(report(n, 'github', 'unknown'))
    await first.close()
    at.pass(20 * minuteMs)
    const second = await at.instance()
    expect(countedBy(second)).toBe(3)
    expect(second.counts.minutesOf('github')[0]?.region).toBe('unknown')
  })

  test('counts 50,000 reports in a minute completely and in little memory', async () => {
    const instance = await at.instance()
    const regions = ['fra', 'iad', 'nrt', 'sjc', 'unknown']
    let counted = 0
    for (let n = 0; n < 50_000; n += 1) {
      if (instance.counts.record(report(n, 'github', regions[n % regions.length]))) counted += 1
      instance.counts.record(report(n, 'github', 'fra'))
      if (n % 1_000 === 0) at.pass(minuteMs / 50)
    }
    expect(counted).toBe(50_000)
    expect(countedBy(instance)).toBe(50_000)
    expect(instance.counts.minutesOf('github').length).toBeLessThanOrEqual(2 * regions.length)
    expect(reportVolume(instance.counts.minutesOf('github'), [], at.now()).last15Minutes).toBe(50_000)
    expect(await instance.metrics()).toContain('reports_unwritten_counts 5')
    await instance.write()
    expect(await written()).toBe(50_000)
  })
})

describe('several instances', () => {
  test('count an address once, and each has the counts of all', async () => {
    const [one, other] = [await at.instance(), await at.instance()]
    expect(one.counts.record(report(1, 'github', 'iad'))).toBe(true)
    await eventually(() => expect(countedBy(other)).toBe(1))
    expect(other.counts.minutesOf('github')).toEqual(one.counts.minutesOf('github'))
    expect(other.counts.record(report(1))).toBe(false)
    expect(other.counts.record(report(2))).toBe(true)
    await eventually(() => expect(countedBy(one)).toBe(2))
    expect(one.counts.record(report(2))).toBe(false)
    expect(await other.metrics()).toContain('reports_told_total 1')
    await Promise.all([one.write(), other.write()])
    expect(await written()).toBe(2)
  })

  test('show the same count after the same report reaches two of them at once', async () => {
    const [one, other] = [await at.instance(), await at.instance()]
    expect([one.counts.record(report(1)), other.counts.record(report(1))]).toEqual([true, true])
    one.counts.record(report(2))
    other.counts.record(report(3))
    await eventually(() => expect([countedBy(one), countedBy(other)]).toEqual([3, 3]))
  })

  test('recognize an address across midnight, when the key changes', async () => {
    const [one, other] = [await at.instance(), await at.instance()]
    at.pass(12 * 60 * minuteMs - minuteMs)
    one.counts.record(report(1))
    await eventually(() => expect(countedBy(other)).toBe(1))
    at.pass(14 * minuteMs)
    expect([one.counts.record(report(1)), other.counts.record(report(1))]).toEqual([false, false])
    at.pass(minuteMs)
    expect(other.counts.record(report(1))).toBe(true)
  })

  test('broadcast many reports in limited messages without losing any', async () => {
    const [one, other] = [await at.instance(), await at.instance()]
    for (let n = 0; n < 5_500; n += 1) one.counts.record(report(n))
    await eventually(() => expect(countedBy(other)).toBe(5_500))
    const sizes = at.events.map((text) => (JSON.parse(text) as { reports: [] }).reports.length)
    expect(sizes).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 500])
    expect(other.counts.record(report(4_321))).toBe(false)
  })
})

describe('while Postgres is unavailable', () => {
  test('reports are counted, and written when it returns', async () => {
    const instance = await at.instance()
    at.proxy.refuse()
    expect(instance.counts.record(report(1))).toBe(true)
    await expect(instance.write()).rejects.toThrow()
    expect(instance.counts.record(report(2))).toBe(true)
    at.proxy.pass()
    await eventually(() => instance.write())
    expect(await written()).toBe(2)
  })

  test('a batch counts once if the answer to its write is lost', async () => {
    const instance = await at.instance()
    instance.counts.record(report(1))
    await instance.write()
    await at.sql.begin(async (tx) => {
      await tx`select from report_counts for update`
      // only now, because the instance also writes by itself every two seconds
      instance.counts.record(report(2))
      const writing = instance.write()
      writing.catch(() => {})
      await eventually(async () => {
        // outside the transaction, which would see the same activity until its end
        const waiting = await at.sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
        expect(waiting).toHaveLength(1)
      })
      // the statement is running; its answer will be lost
      at.proxy.refuse()
      await expect(writing).rejects.toThrow()
    })
    await eventually(async () => expect(await written()).toBe(2))
    at.proxy.pass()
    instance.counts.record(report(3))
    await eventually(() => instance.write())
    expect(await written()).toBe(3)
  })
})

describe('the usual counts', () => {
  const seed = async (quarters: readonly number[], reports: number): Promise<void> => {
    const rows = quarters.map((quarter) => ({ quarter_at: new Date(quarter) }))
    await at.sql`insert into report_quarters ${at.sql(rows)}`
    const counts = rows.map((row) => ({ ...row, slug: 'github', region: 'fra', reports }))
    if (reports > 0) await at.sql`insert into report_counts ${at.sql(counts)}`
  }

  test('are known from the start, including zeros, and follow the hour', async () => {
    await seed([t0 - weekMs, t0 - weekMs + quarterMs], 5)
    await seed([t0 - weekMs - quarterMs], 0)
    await seed([t0 - weekMs + 2 * quarterMs], 9)
    const { counts } = await at.instance()
    expect(counts.usualOf('github')).toEqual([0, 5, 5])
    expect(counts.usualOf('gitlab')).toEqual([0, 0, 0])
    at.pass(quarterMs)
    expect(counts.usualOf('github')).toEqual([0, 5, 5, 9])
  })

  test('are loaded again in each quarter of an hour', async () => {
    const { counts } = await at.instance()
    expect(counts.usualOf('github')).toEqual([])
    await seed([t0 - weekMs], 5)
    at.pass(quarterMs)
    await eventually(() => expect(counts.usualOf('github')).toEqual([5]))
  })

  test('include the reports of a week ago', async () => {
    const instance = await at.instance()
    for (const n of [1, 2, 3]) instance.counts.record(report(n, 'github', n === 1 ? 'iad' : 'fra'))
    await instance.write()
    at.pass(weekMs)
    await eventually(() => expect(instance.counts.usualOf('github')).toEqual([3]))
    expect(instance.counts.minutesOf('github')).toEqual([])
  })
})

test('counts older than nine weeks are deleted', async () => {
  const instance = await at.instance()
  instance.counts.record(report(1))
  await instance.write()
  at.pass(9 * weekMs + quarterMs)
  await eventually(async () => expect(await written()).toBe(0))
})

test('no table, log line or metric contains an address or its hash, and events contain only the hash', async () => {
  const instance = await at.instance()
  const addresses = ['203.0.113.77', '2001:db8:abcd:12:1::77']
  for (const address of addresses) {
    instance.counts.record({ slug: 'github', region: 'fra', address })
    instance.counts.record({ slug: 'github', region: 'fra', address })
  }
  at.proxy.refuse()
  for (const address of addresses) instance.counts.record({ slug: 'gitlab', region: 'fra', address })
  await eventually(() => expect(at.logged.length).toBeGreaterThan(0))
  at.proxy.pass()
  await eventually(() => instance.write())

  const sent = at.events.flatMap((text) => (JSON.parse(text) as { reports: { reporter: string }[] }).reports)
  const hashes = sent.map(({ reporter }) => reporter)
  expect(hashes).toHaveLength(4)
  expect(Object.keys(sent[0] ?? {}).toSorted()).toEqual(['region', 'reporter', 'slug'])
  const kept = { tables: await dump(), logged: at.logged.join(), metrics: await instance.metrics() }
  expect(kept.tables).toContain('github')
  const ofAddresses = [...addresses, '203.0.113', '2001:db8:abcd', 'abcd:12']
  for (const [where, text] of Object.entries({ ...kept, events: at.events.join() })) {
    for (const part of ofAddresses) expect(text, where).not.toContain(part)
  }
  const encodings = hashes.flatMap((hash) => {
    const bytes = Buffer.from(hash, 'base64url')
    return [hash, bytes.toString('hex'), bytes.toString('base64')]
  })
  for (const [where, text] of Object.entries(kept)) {
    for (const hash of encodings) expect(text, where).not.toContain(hash)
  }
})

/** All rows of all our tables, as text. */
const dump = async (): Promise<string> => {
  const tables = await at.sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public'`
  const rows = await Promise.all(
    tables.map(
      async ({ name }) =>
        await at.sql<{ row: string }[]>`select ${at.sql(name)}::text as row from ${at.sql(name)}`,
    ),
  )
  return rows.flatMap((table) => table.map(({ row }) => row)).join('\n')
}
