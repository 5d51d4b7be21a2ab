import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { BusUnavailable, type Bus } from '@probe-mesh/bus/port'
import { slotsDue } from '@probe-mesh/contracts/reading/slots'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findCheckOfAnyAccount } from '../../records/check/many-checks-store.ts'
import { findRevisions } from '../../records/check/check-revisions-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { sealsNothing } from '../../secrets/testing.ts'
import { startAssigner, type Assigner } from './assigner.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let sql: Sql
let folder: string
let bus: Bus
let assigner: Assigner | null
let changed: string[]
let registry: Registry
/** Runs while the assigner reports a change. */
let meanwhile: ((checkId: string) => Promise<void>) | null

beforeEach(async () => {
  database = await createTestDatabase()
  sql = database.connect()
  folder = testFolder('assign-')
  bus = await openInProcessBus({ directory: folder })
  assigner = null
  changed = []
  meanwhile = null
})
afterEach(async () => {
  await assigner?.close()
  await bus.close()
  await sql.end()
  await database.close()
})

const start = async (
  liveRegions: readonly string[] = ['fra', 'iad'],
  now: () => number = Date.now,
): Promise<void> => {
  registry = new Registry()
  assigner = await startAssigner({
    sealer: sealsNothing,
    sql,
    bus,
    liveRegions,
    registry,
    log: pino({ level: 'silent' }),
    now,
    onChanged: async (checkId) => {
      changed.push(checkId)
      await meanwhile?.(checkId)
    },
  })
  await vi.waitFor(() => expect(assigner?.isCurrent()).toBe(true))
}
const createCheck = (regions: readonly string[], allRegions = false): Promise<string> =>
  insertTestCheck(sql, { regions, allRegions })
const notify = (id: string) => sql`select pg_notify('checks_changed', ${id})`
const held = async (region: string): Promise<string[]> =>
  (await bus.assignments.held(region)).map((assignment) => assignment.checkId).toSorted()
const holds = async (region: string, ids: readonly string[]) =>
  await vi.waitFor(async () => expect(await held(region)).toEqual(ids.toSorted()))

test('a start writes every check to the buckets of its regions, and removes unknown checks', async () => {
  const both = await createCheck(['fra', 'iad'])
  const one = await createCheck(['iad'])
  await start()
  await assigner?.close()
  await holds('fra', [both])
  await holds('iad', [both, one])
  await sql`delete from checks where id = ${both}`
  await start()
  await holds('fra', [])
  await holds('iad', [one])
})

test('assigns types without a URL, never heartbeats, and keeps assignments of a newer version', async () => {
  const of = async (type: string, config: object): Promise<string> => {
    const id = await createCheck(['fra'])
    await sql`
      update checks set type = ${type}, url = null, config = ${sql.json({ type, ...config })}
      where id = ${id}`
    return id
  }
  const tcp = await of('tcp', {
    settings: { host: 'a.example.org', port: 22, send: null, expect: null },
  })
  await of('heartbeat', {
    settings: {
      periodSeconds: 60,
      cron: null,
      timeZone: null,
      graceSeconds: 60,
      maxRuntimeSeconds: null,
    },
  })
  const newer = await of('carrier-pigeon', { settings: {} })
  await bus.assignments.put(anAssignment({ checkId: newer }))
  await start()
  await holds('fra', [tcp, newer])
  await notify(newer)
  const http = await createCheck(['fra'])
  await notify(http)
  await holds('fra', [tcp, newer, http])
})

test('writes a change to the buckets at once, and reports it afterwards', async () => {
  await start()
  const id = await createCheck(['fra'])
  await notify(id)
  await holds('fra', [id])
  await sql`update checks set regions = ${['iad']}, revision = 2 where id = ${id}`
  await notify(id)
  await holds('fra', [])
  await holds('iad', [id])
  await sql`update checks set paused = true, revision = 3 where id = ${id}`
  await notify(id)
  await holds('iad', [])
  expect(new Set(changed)).toEqual(new Set([id]))
})

test('does not lose a change that is notified while the previous one is being written', async () => {
  await start()
  const id = await createCheck(['fra'])
  const noticed = Promise.withResolvers<void>()
  let notices = 0
  await sql.listen('checks_changed', () => {
    notices += 1
    if (notices === 2) noticed.resolve()
  })
  meanwhile = async () => {
    meanwhile = null
    await sql`update checks set regions = ${['iad']}, revision = 2 where id = ${id}`
    await notify(id)
    await noticed.promise
  }
  await notify(id)
  await holds('iad', [id])
  await holds('fra', [])
})

test('updates checks of all regions to the live regions, with a revision for the ledger', async () => {
  const all = await createCheck(['fra', 'iad'], true)
  const fixed = await createCheck(['fra', 'iad'])
  await start(['fra', 'nrt'])
  await holds('nrt', [all])
  await holds('fra', [all, fixed])
  const revisions = await sql<{ regions: string[]; open: boolean }[]>`
    select regions, valid_to is null as open from check_revisions where check_id = ${all} order by revision`
  expect([...revisions]).toEqual([
    { regions: ['fra', 'iad'], open: false },
    { regions: ['fra', 'nrt'], open: true },
  ])
  await vi.waitFor(() => expect(changed).toContain(all))
})

test('catches up after a lost connection to Postgres', async () => {
  await start()
  // without a notification: found when the lost connection is restored
  const id = await createCheck(['fra'])
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`.catch(
    () => {},
  )
  await vi.waitFor(async () => expect(await held('fra')).toEqual([id]))
  await vi.waitFor(() => expect(changed).toContain(id))
})

test('repeats what one failed write of many left out, counts what is stored, and reports it', async () => {
  await start()
  const ids = await Promise.all(Array.from({ length: 200 }, () => createCheck(['fra', 'iad'])))
  const { put } = bus.assignments
  let [under, most, fails] = [0, 0, 1]
  vi.spyOn(bus.assignments, 'put').mockImplementation(async (assignment) => {
    most = Math.max(most, ++under)
    await new Promise((resolve) => setImmediate(resolve))
    under--
    if (assignment.region === 'iad' && assignment.checkId === ids[100] && fails-- > 0) throw new Error('no')
    await put(assignment)
  })
  // without a notification: found when the lost connection is restored
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`.catch(
    () => {},
  )
  await holds('fra', ids)
  await holds('iad', ids)
  expect(most).toBeLessThanOrEqual(64)
  expect(most).toBeGreaterThan(1)
  await vi.waitFor(() => expect(new Set(changed)).toEqual(new Set(ids)))
  const { values } = (await registry.getMetricsAsJSON())[0] ?? {}
  expect(values).toMatchObject([{ labels: { act: 'put' }, value: 400 }])
})

test('reports a check whose write was stored without a confirmation', async () => {
  await start()
  const id = await createCheck(['fra'])
  const { put } = bus.assignments
  vi.spyOn(bus.assignments, 'put').mockImplementationOnce(async (assignment) => {
    await put(assignment)
    throw new BusUnavailable('the connection was lost')
  })
  // without a notification: found when the lost connection is restored
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`.catch(
    () => {},
  )
  await holds('fra', [id])
  await vi.waitFor(() => expect(changed).toEqual([id]))
})

describe('the slots of a check', () => {
  const minuteMs = 60_000
  const announce = async (region: string, knowsHow: boolean) =>
    await bus.presence.announce({
      agent: `${region}-${knowsHow}`,
      region,
      version: '1.0.0',
      startedAt: 1,
      ...(knowsHow && { takesPhase: true }),
    })
  /** A full comparison, this much later. */
  const compareAfter = async (ms: number): Promise<void> => {
    await assigner?.close()
    const nowMs = Date.now() + ms
    await start(['fra', 'iad'], () => nowMs)
    await assigner?.close()
  }
  const revisionsOf = async (id: string) =>
    (await findRevisions(sql, id, 0, Date.now() + 3_600_000)).map(({ isSpread }) => isSpread)
  const phasesOf = async (id: string): Promise<(number | undefined)[]> =>
    await Promise.all(
      ['fra', 'iad'].map(async (region) => {
        const list = await bus.assignments.held(region)
        return list.find(({ checkId }) => checkId === id)?.phaseMs
      }),
    )

  test('are spread once every agent of its regions has supported it for a while, and no longer when one does not', async () => {
    const [id, alone] = [await createCheck(['fra', 'iad']), await createCheck(['fra'])]
    const announced = await announce('fra', true)
    const iad = await announce('iad', false)
    await compareAfter(0)
    await compareAfter(6 * minuteMs)
    // one region has an older agent
    expect([await revisionsOf(id), await phasesOf(id)]).toEqual([[false], [undefined, undefined]])
    await iad.close()
    const iadAgain = await announce('iad', true)
    await compareAfter(7 * minuteMs)
    expect(await revisionsOf(id)).toEqual([false])
    await compareAfter(13 * minuteMs)
    expect(await revisionsOf(id)).toEqual([false, true])
    const [fraMs = 0, iadMs = 0] = await phasesOf(id)
    expect(Math.abs(Math.abs(fraMs - iadMs) - 30_000)).toBeLessThanOrEqual(1)
    expect([await revisionsOf(alone), await phasesOf(alone)]).toEqual([[false], [undefined, undefined]])
    // an unchanged check gets no new revision
    await compareAfter(14 * minuteMs)
    expect(await revisionsOf(id)).toEqual([false, true])
    const older = await announce('fra', false)
    await compareAfter(15 * minuteMs)
    expect([await revisionsOf(id), await phasesOf(id)]).toEqual([
      [false, true, false],
      [undefined, undefined],
    ])
    await Promise.all([announced.close(), iadAgain.close(), older.close()])
  })

  test('are expected where its agents were assigned to measure', async () => {
    const id = await createCheck(['fra', 'iad'])
    await sql`insert into spread_regions values ('fra', to_timestamp(0)), ('iad', to_timestamp(0))`
    const beganMs = Date.now()
    await compareAfter(0)
    const revisions = await findRevisions(sql, id, 0, Date.now() + minuteMs)
    expect(revisions.map(({ isSpread }) => isSpread)).toEqual([false, true])
    // agents get it before it is valid, and measure the previous slots until then
    expect(revisions[1]?.validFromMs).toBeGreaterThanOrEqual(beganMs + minuteMs / 2)
    expect(revisions[0]?.validToMs).toBe(revisions[1]?.validFromMs)
    const fromMs = (revisions[1]?.validFromMs ?? 0) + minuteMs
    const due = ['fra', 'iad'].map(
      (region) => (slotsDue(id, region, revisions, fromMs, fromMs + minuteMs)[0] ?? 0) % minuteMs,
    )
    expect(due).toEqual(await phasesOf(id))
  })

  test('of a revision by an older control plane are not spread', async () => {
    const id = await createCheck(['fra', 'iad'])
    await sql`insert into spread_regions values ('fra', to_timestamp(0)), ('iad', to_timestamp(0))`
    await compareAfter(0)
    await sql`update checks set revision = revision + 1, valid_from = now() where id = ${id}`
    expect((await findCheckOfAnyAccount(sql, id))?.isSpread).toBe(false)
  })
})
