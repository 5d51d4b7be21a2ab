import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import fc from 'fast-check'
import pino from 'pino'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { beforeEach, describe, expect, test } from 'vitest'
import { catalogChecksOf } from '../../catalog/catalog-checks.ts'
import { catalogAccountId } from '../../accounts/accounts-store.ts'
import { indexCatalog } from '../../catalog/catalog-index.ts'
import { service } from '../../catalog/testing.ts'
import { createFactsOfChecks } from '../../mesh/ingest/check-facts.ts'
import { findAssignableChecks } from '../../records/check/many-checks-store.ts'
import { findChecks } from '../../records/check/checks-store.ts'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { reconcileCatalog, type CatalogChanges } from './reconcile-catalog.ts'

const database = useTestDatabase()
const sql = database.use({ role: 'probe_mesh_system' })
beforeEach(() => sql`delete from accounts`)

const start = 1_700_000_000_000
const log = pino({ level: 'silent' })

const acme = service('acme', {
  probes: [
    { url: 'https://acme.example/', name: 'web', expect: {} },
    { url: 'https://api.acme.example/', name: 'api', expect: { statusMin: 401, statusMax: 401 } },
  ],
})
const other = service('other', {
  probes: [{ url: 'https://other.example/', name: null, expect: {} }],
})

type Probe = CatalogService['probes'][number]
type Schedule = {
  regions?: readonly string[]
  intervalSeconds?: number
  nowMs?: number
}
const reconcile = (
  services: readonly CatalogService[],
  { regions = ['fra', 'iad'], intervalSeconds = 60, nowMs = start }: Schedule = {},
): Promise<CatalogChanges> =>
  reconcileCatalog({
    sql,
    catalog: indexCatalog({ services: [...services], stacks: [] }),
    regions,
    intervalSeconds,
    log,
    now: () => nowMs,
  })

const none = { inserted: 0, revised: 0, paused: 0, unchanged: 0 }
const checks = () => findChecks(sql, catalogAccountId)
const revisions = () =>
  sql<
    {
      check_id: string
      revision: number
      valid_from: Date
      valid_to: Date | null
      regions: string[]
      interval_seconds: number
      paused: boolean
    }[]
  >`select * from check_revisions order by check_id, revision`
const measuredUrls = async (): Promise<string[]> =>
  (await findAssignableChecks(sql)).map(({ url }) => url ?? '').toSorted()
const urlsOf = (services: readonly CatalogService[]): string[] =>
  catalogChecksOf({ services: [...services] })
    .map(({ url }) => url)
    .toSorted()

test('creates a check in all live regions for every probe, with its first revision', async () => {
  expect(await reconcile([acme, other])).toEqual({ ...none, inserted: 3 })
  const all = await checks()
  const api = all.find(({ name }) => name === 'acme (api)')
  expect(api).toMatchObject({
    accountId: catalogAccountId,
    type: 'http',
    config: { type: 'http' },
    url: 'https://api.acme.example/',
    intervalSeconds: 60,
    regions: ['fra', 'iad'],
    allRegions: true,
    paused: false,
    assertions: { assertionStatusMin: 401, assertionStatusMax: 401, assertionBodyOp: null },
    revision: 1,
    validFromMs: start,
    state: { status: 'unknown', version: 0 },
  })
  expect(all.map(({ id }) => id).toSorted()).toEqual(
    catalogChecksOf({ services: [acme, other] })
      .map(({ checkId }) => checkId)
      .toSorted(),
  )
  const [stored] = await sql`select assertions from checks where id = ${api?.id ?? ''}`
  expect(stored).toEqual({ assertions: { assertionStatusMin: 401, assertionStatusMax: 401 } })
  const states = await sql`select from check_states`
  expect(states).toHaveLength(3)
  expect(await revisions()).toMatchObject(
    all
      .toSorted((left, right) => (left.id < right.id ? -1 : 1))
      .map(({ id }) => ({
        check_id: id,
        revision: 1,
        valid_from: new Date(start),
        valid_to: null,
        regions: ['fra', 'iad'],
        paused: false,
      })),
  )
})

test('writes nothing in a second run, even with services and regions in another order', async () => {
  await reconcile([acme, other])
  const before = await sql`select *, xmin::text from checks order by id`
  const later = start + 1_000
  expect(await reconcile([other, acme], { nowMs: later })).toEqual({ ...none, unchanged: 3 })
  expect(await reconcile([acme, other], { nowMs: later, regions: ['iad', 'fra'] })).toEqual({
    ...none,
    unchanged: 3,
  })
  expect(await sql`select *, xmin::text from checks order by id`).toEqual(before)
  expect(await revisions()).toHaveLength(3)
})

test('writes once if several control planes start at the same time', async () => {
  const changes = await Promise.all(Array.from({ length: 6 }, () => reconcile([acme, other])))
  const sum = (key: keyof CatalogChanges) => changes.reduce((all, one) => all + one[key], 0)
  expect(sum('inserted')).toBe(3)
  expect(sum('unchanged')).toBe(15)
  expect(await revisions()).toHaveLength(3)
})

describe('opens the next revision of a check after a change of', () => {
  const expecting = (web: Probe['expect'], api: Probe['expect']) =>
    service('acme', {
      probes: acme.probes.map((probe) => ({ ...probe, expect: probe.name === 'web' ? web : api })),
    })
  const unauthorized = { statusMin: 401, statusMax: 401 }
  test.each<[string, readonly CatalogService[], Schedule, number]>([
    ['its name', [{ ...acme, name: 'Acme' }], {}, 2],
    ['its expectation', [expecting({ bodyOp: 'contains', bodyValue: 'ok' }, unauthorized)], {}, 1],
    ['its expectation to none', [expecting({}, {})], {}, 1],
    ['its interval', [acme], { intervalSeconds: 61 }, 2],
    ['its regions by one more', [acme], { regions: ['fra', 'iad', 'nrt'] }, 2],
    ['its regions by one less', [acme], { regions: ['fra'] }, 2],
  ])('%s', async (_, services, schedule, revised) => {
    await reconcile([acme])
    const again = { ...schedule, nowMs: start + 1_000 }
    const expected = { ...none, revised, unchanged: 2 - revised }
    expect(await reconcile(services, again)).toEqual(expected)
    expect(await reconcile(services, again)).toEqual({ ...none, unchanged: 2 })
    const wanted = catalogChecksOf({ services: [...services] })
    for (const check of await checks()) {
      const { name, url, assertions } = check
      expect(wanted).toContainEqual(expect.objectContaining({ checkId: check.id, name, url, assertions }))
      expect(check.intervalSeconds).toBe(schedule.intervalSeconds ?? 60)
      expect(check.regions).toEqual(schedule.regions ?? ['fra', 'iad'])
    }
    const second = (await revisions()).filter(({ revision }) => revision === 2)
    expect(second).toHaveLength(revised)
    for (const one of second) {
      expect(one).toMatchObject({ valid_from: new Date(start + 1_000), valid_to: null })
    }
  })
})

test('creates a new check for a changed URL, and keeps the history of the old one', async () => {
  const moved = service('other', {
    probes: [{ url: 'https://new.other.example/', name: null, expect: {} }],
  })
  await reconcile([other])
  expect(await reconcile([moved])).toEqual({ ...none, inserted: 1, paused: 1 })
  expect(await measuredUrls()).toEqual(urlsOf([moved]))
  expect(await checks()).toHaveLength(2)
})

test('pauses a service that leaves the catalog, and resumes the same check if it returns', async () => {
  await reconcile([acme, other])
  const before = await checks()
  expect(await reconcile([other], { nowMs: start + 1_000 })).toEqual({
    ...none,
    paused: 2,
    unchanged: 1,
  })
  expect(await measuredUrls()).toEqual(urlsOf([other]))
  expect(await reconcile([other], { nowMs: start + 2_000 })).toEqual({ ...none, unchanged: 1 })
  expect(await reconcile([acme, other], { nowMs: start + 3_000 })).toEqual({
    ...none,
    revised: 2,
    unchanged: 1,
  })
  const ids = new Set(before.map(({ id }) => id))
  expect(new Set((await checks()).map(({ id }) => id))).toEqual(ids)
  const ofAcme = (await revisions()).filter(({ check_id }) =>
    catalogChecksOf({ services: [acme] }).some(({ checkId }) => checkId === check_id),
  )
  const at = (ms: number) => new Date(start + ms)
  expect(ofAcme).toHaveLength(6)
  expect(ofAcme.slice(0, 3)).toMatchObject([
    { revision: 1, paused: false, valid_from: at(0), valid_to: at(1_000) },
    { revision: 2, paused: true, valid_from: at(1_000), valid_to: at(3_000) },
    { revision: 3, paused: false, valid_from: at(3_000), valid_to: null },
  ])
})

test('pauses all checks for an empty catalog, and creates none', async () => {
  expect(await reconcile([])).toEqual(none)
  await reconcile([acme])
  expect(await reconcile([])).toEqual({ ...none, paused: 2 })
  expect(await measuredUrls()).toEqual([])
})

test('does not change checks of other accounts', async () => {
  const id = await insertTestCheck(sql, { regions: ['fra'] })
  const before = await sql`select *, xmin::text from checks where id = ${id}`
  await reconcile([acme])
  await reconcile([])
  expect(await sql`select *, xmin::text from checks where id = ${id}`).toEqual(before)
})

test('never starts a revision before the previous one, even if the clock was set back', async () => {
  await reconcile([acme])
  await reconcile([], { nowMs: start - 60_000 })
  await reconcile([acme], { nowMs: start - 30_000 })
  for (const { valid_from, valid_to } of await revisions()) {
    expect(valid_from).toEqual(new Date(start))
    expect(valid_to ?? valid_from).toEqual(new Date(start))
  }
})

test('notifies every control plane of each changed check, and of no other', async () => {
  const notified: string[] = []
  const { unlisten } = await sql.listen('checks_changed', (checkId) => notified.push(checkId))
  const notifications = async (): Promise<Set<string>> => {
    const last = Promise.withResolvers<void>()
    const listener = await sql.listen('checks_changed', (id) => id === 'end' && last.resolve())
    await sql`select pg_notify('checks_changed', 'end')`
    await last.promise
    await listener.unlisten()
    return new Set(notified.splice(0).filter((id) => id !== 'end'))
  }
  const idsOf = (services: CatalogService[]) =>
    new Set(catalogChecksOf({ services }).map(({ checkId }) => checkId))
  await reconcile([acme, other])
  expect(await notifications()).toEqual(idsOf([acme, other]))
  await reconcile([acme, other])
  expect(await notifications()).toEqual(new Set())
  await reconcile([other])
  expect(await notifications()).toEqual(idsOf([acme]))
  await unlisten()
})

test('after any two catalogs in a row, exactly the checks of the second are measured', async () => {
  const services = fc.uniqueArray(
    fc.record({
      slug: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      name: fc.constantFrom('One', 'Two', 'Ärger \u{1f525}'),
      paths: fc.subarray(['x', 'y'], { minLength: 1 }),
      status: fc.constantFrom(null, 200, 204),
    }),
    { selector: ({ slug }) => slug },
  )
  const catalogs = fc.record({
    services: services.map((list) =>
      list.map(({ slug, name, paths, status }) =>
        service(slug, {
          name,
          probes: paths.map((path) => ({
            url: `https://${slug}.example/${path}`,
            name: path,
            expect: status === null ? {} : { statusMin: 200, statusMax: status },
          })),
        }),
      ),
    ),
    regions: fc.subarray(['fra', 'iad', 'nrt'], { minLength: 1 }),
    intervalSeconds: fc.integer({ min: 1, max: 3 }),
  })
  let nowMs = start
  await forAllAsync([catalogs, catalogs], { numRuns: 40 }, async (first, second) => {
    for (const { services, ...schedule } of [first, second]) {
      await reconcile(services, { ...schedule, nowMs: (nowMs += 1_000) })
    }
    const measured = await findAssignableChecks(sql)
    const { intervalSeconds, regions } = second
    const wanted = catalogChecksOf(second).map(({ checkId, name, url, assertions }) => {
      const check = { id: checkId, name, url, assertions, intervalSeconds, regions }
      return expect.objectContaining(check)
    })
    expect(measured).toEqual(expect.arrayContaining(wanted))
    expect(measured).toHaveLength(wanted.length)
    const broken = await sql`
        select from (
          select *, lead(valid_from) over (partition by check_id order by revision) as follows
          from check_revisions
        ) as one join checks on checks.id = check_id
        where one.valid_to is distinct from follows
          or (follows is null and (one.revision, one.paused, one.regions, one.interval_seconds)
            is distinct from (checks.revision, checks.paused, checks.regions, checks.interval_seconds))`
    expect(broken).toHaveLength(0)
  })
})

describe('the account of the catalog', () => {
  test('has no user and no key, and the database refuses both', async () => {
    await reconcile([acme])
    const id = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
    await expect(
      sql`insert into users (id, account_id, email, password_hash, created_at)
        values (${id}, ${catalogAccountId}, 'a@example.org', 'x', now())`,
    ).rejects.toMatchObject({ constraint_name: 'users_not_of_catalog' })
    await expect(
      sql`insert into api_keys (id, account_id, name, scope, key_hash, hint, created_at)
        values (${id}, ${catalogAccountId}, 'ci', 'read_write', 'x', 'x', now())`,
    ).rejects.toMatchObject({ constraint_name: 'api_keys_not_of_catalog' })
  })

  test('does not reveal its checks to other accounts', async () => {
    await reconcile([acme])
    const mine = await insertTestCheck(sql, { regions: ['fra'] })
    const [row] = await sql<{ account_id: string }[]>`
      select account_id from checks where id = ${mine}`
    const accountSql = connectPostgres(database.url, { role: 'probe_mesh_account' })
    const seen = await inAccount(accountSql, row?.account_id ?? '', async (tx) => ({
      checks: await tx`select id from checks`,
      states: await tx`select check_id as id from check_states`,
      revisions: await tx`select check_id as id from check_revisions`,
    }))
    await accountSql.end()
    expect(seen).toEqual({
      checks: [{ id: mine }],
      states: [{ id: mine }],
      revisions: [{ id: mine }],
    })
  })

  test('keeps its readings as long as the Scale plan', async () => {
    await reconcile([other])
    const [check] = await checks()
    const directory = createFactsOfChecks({ sql, tiers: tiersDefault, now: () => start })
    const facts = await directory.find([check?.id ?? ''])
    const { rawDays, hourDays } = tiersDefault.scale
    expect([...facts.values()]).toEqual([{ accountId: catalogAccountId, rawDays, hourDays }])
  })
})
