import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import {
  closeQuarantine,
  findNewestQuarantines,
  findOpenQuarantines,
  openQuarantine,
} from './quarantines-store.ts'

const database = useTestDatabase()
const sql = database.use({ role: 'probe_mesh_system' })
beforeEach(() => sql`delete from region_quarantines`)

const t0 = 1_700_000_000_000
const day = 86_400_000
const quarantine = (region: string, sinceAtMs: number = t0) => ({
  id: uuidv7(sinceAtMs),
  region,
  sinceAtMs,
  hosts: 12,
  failing: 5,
  refused: 3,
  examples: ['a.example.com', 'b.example.com'],
  sources: {
    accounts: { named: [{ name: 'catalog', hosts: 5 }], otherHosts: 0, distinct: 1 },
    domains: { named: [{ name: 'example.com', hosts: 5 }], otherHosts: 0, distinct: 1 },
    networks: { named: [{ name: '192.0.2.1', hosts: 4 }], otherHosts: 1, distinct: 2 },
  },
})

test('only one of many simultaneous quarantines of a region is opened', async () => {
  const won = await Promise.all(Array.from({ length: 8 }, () => openQuarantine(sql, quarantine('fra'))))
  expect(won.filter((first) => first)).toHaveLength(1)
  expect(await openQuarantine(sql, quarantine('nrt'))).toBe(true)
  expect((await findOpenQuarantines(sql)).map(({ region }) => region)).toEqual(['fra', 'nrt'])
})

test('it is closed once, and can be opened again', async () => {
  const first = quarantine('fra')
  await openQuarantine(sql, first)
  const closed = await Promise.all([1, 2].map(() => closeQuarantine(sql, 'fra', t0 + 200_000)))
  expect(closed.toSorted()).toEqual([false, true])
  expect(await findOpenQuarantines(sql)).toEqual([])
  const second = quarantine('fra', t0 + 300_000)
  expect(await openQuarantine(sql, second)).toBe(true)
  expect(await findNewestQuarantines(sql, 10)).toEqual([
    { ...second, endedAtMs: null },
    { ...first, endedAtMs: t0 + 200_000 },
  ])
  expect(await findNewestQuarantines(sql, 1)).toHaveLength(1)
})

test('an end before the start is moved to the start', async () => {
  await openQuarantine(sql, quarantine('fra'))
  await closeQuarantine(sql, 'fra', t0 - 1)
  expect(await findNewestQuarantines(sql, 1)).toMatchObject([{ endedAtMs: t0 }])
})

test('closing one deletes those that ended long ago', async () => {
  await openQuarantine(sql, quarantine('fra'))
  await closeQuarantine(sql, 'fra', t0)
  await openQuarantine(sql, quarantine('iad', t0 + 1))
  await closeQuarantine(sql, 'iad', t0 + 90 * day)
  expect(await findNewestQuarantines(sql, 10)).toHaveLength(2)
  await openQuarantine(sql, quarantine('nrt', t0 + 90 * day))
  await closeQuarantine(sql, 'nrt', t0 + 90 * day + 1)
  const left = await findNewestQuarantines(sql, 10)
  expect(left.map(({ region }) => region)).toEqual(['nrt', 'iad'])
})

test('accounts cannot read quarantines', async () => {
  const account = connectPostgres(database.url, { role: 'probe_mesh_account', connectionsMax: 1 })
  await expect(findOpenQuarantines(account)).rejects.toMatchObject({ code: '42501' })
  await account.end()
})

test('an older row without sources is readable', async () => {
  await sql`
    insert into region_quarantines (id, region, since, hosts, failing, evidence)
    values (${uuidv7(t0)}, 'fra', ${new Date(t0)}, 12, 5, ${sql.json({ examples: ['a.com'] })})`
  const [found] = await findNewestQuarantines(sql, 1)
  expect(found).toMatchObject({ examples: ['a.com'], refused: 0 })
  expect(found?.sources.accounts).toEqual({ named: [], otherHosts: 0, distinct: 0 })
})
