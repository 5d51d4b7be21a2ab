import { createTestDatabase, type TestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogChecksOf, type CatalogCheck } from '../../catalog/catalog-checks.ts'
import { service } from '../../catalog/testing.ts'
import { findAssignableChecks, refreshAllRegions } from '../../records/check/many-checks-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { reconcileCatalog } from './reconcile-catalog.ts'

/** Each test has a new database, whose planner has no statistics of the tables. */

let database: TestDatabase
let sql: Sql
beforeEach(async () => {
  database = await createTestDatabase()
  sql = database.connect({ role: 'probe_mesh_system' })
})
afterEach(async () => {
  await sql.end()
  await database.close()
})

const start = 1_700_000_000_000
const none = { inserted: 0, revised: 0, paused: 0, unchanged: 0 }

const reconcile = (checks: readonly CatalogCheck[], regions: readonly string[] = ['fra', 'iad']) =>
  reconcileCatalog({
    sql,
    catalog: { byCheckId: new Map(checks.map((check) => [check.checkId, check])) },
    regions,
    intervalSeconds: 60,
    log: pino({ level: 'silent' }),
    now: () => start,
  })

/** The checks of `count` services with two probes each. */
const checksOf = (count: number): CatalogCheck[] =>
  catalogChecksOf({
    services: Array.from({ length: count }, (_, at) =>
      service(`s${at}`, {
        probes: ['web', 'api'].map((name) => {
          const url = `https://${name}.s${at}.example/`
          return { url, name, expect: {} }
        }),
      }),
    ),
  })
const renamed = (checks: readonly CatalogCheck[]): CatalogCheck[] =>
  checks.map((check) => ({ ...check, name: `${check.name}, renamed` }))

test('creates, revises and pauses 10,000 checks, each in one run', async () => {
  const count = 10_000
  const checks = checksOf(count / 2)
  expect(await reconcile(checks)).toEqual({ ...none, inserted: count })
  expect(await reconcile(renamed(checks))).toEqual({ ...none, revised: count })
  expect(await reconcile([])).toEqual({ ...none, paused: count })
  const [written] = await sql<{ open: number; all: number }[]>`
    select count(*) filter (where valid_to is null)::integer as open, count(*)::integer as all
    from check_revisions`
  expect(written).toEqual({ open: count, all: 3 * count })
})

test('concurrent runs with different live regions wait for each other without a deadlock', async () => {
  const many = checksOf(150)
  await reconcile(many)
  for (let round = 0; round < 5; round++) {
    const checks = round % 2 === 0 ? renamed(many).toReversed() : many
    await Promise.all([
      reconcile(checks),
      refreshAllRegions(sql, ['nrt'], start),
      reconcile(checks, ['iad']),
      refreshAllRegions(sql, ['fra', 'iad'], start),
    ])
  }
  expect(await findAssignableChecks(sql)).toHaveLength(300)
})
