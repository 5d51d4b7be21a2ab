import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { createLog } from '../../app/log.ts'
import type { Factor, ObservedService } from '../shared-factors.ts'
import { hourMs, minuteMs, serviceOf, t0 } from '../testing.ts'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { acquireTestLeases } from '../../stores/postgres/testing.ts'
import { createSharedWatch } from './shared-watch.ts'

const database = useTestDatabase()
const owner = database.use({ connectionsMax: 1 })
const sql = database.use({ role: 'probe_mesh_system' })
let lease: Lease
let nowMs: number
beforeEach(async () => {
  await owner`delete from shared_state`
  lease = await acquireFirst()
  nowMs = t0
})
const acquireFirst = async (): Promise<Lease> => {
  const found = (await acquireTestLeases(sql)).find(({ partition }) => partition === 0)
  if (found === undefined) throw new Error('no partition 0')
  return found
}

const cdn: Factor = { kind: 'cdn', name: 'bunny' }
/** Eight services on one CDN, the first `down` of them down for two minutes, and sixty others. */
const catalogWith = (down: number): ObservedService[] => [
  ...Array.from({ length: 8 }, (_, k) => serviceOf(`on-${k}`, [cdn], k < down ? t0 - 2 * minuteMs : null)),
  ...Array.from({ length: 60 }, (_, k) => serviceOf(`other-${k}`, [])),
]
let services: ObservedService[] = []
const watchOf = (more: Partial<Parameters<typeof createSharedWatch>[0]> = {}) =>
  createSharedWatch({
    sql,
    lease: () => lease,
    isReady: () => true,
    services: () => services,
    log: createLog('silent'),
    now: () => nowMs,
    ...more,
  })
const openOf = (watch: ReturnType<typeof watchOf>) =>
  watch.state().open.map(({ factor, sinceMs }) => [factor.name, sinceMs])
const incident = [['bunny', t0 - 2 * minuteMs]]

test('the owner of the lease evaluates, and the others read its result', async () => {
  services = catalogWith(6)
  const [evaluating, reading] = [watchOf(), watchOf({ lease: () => null })]
  await reading.evaluate()
  expect(openOf(reading)).toEqual([])
  await evaluating.evaluate()
  await reading.evaluate()
  expect([openOf(evaluating), openOf(reading)]).toEqual([incident, incident])
  expect(reading.state()).toEqual(evaluating.state())
})

test('a restart neither loses nor duplicates an incident', async () => {
  services = catalogWith(6)
  await watchOf().evaluate()
  nowMs += minuteMs
  const restarted = watchOf()
  await restarted.evaluate()
  expect(openOf(restarted)).toEqual(incident)
  expect(restarted.state().open[0]?.members).toHaveLength(6)
})

test('remaining outages of a closed incident open none after a restart', async () => {
  services = catalogWith(6)
  const watch = watchOf()
  await watch.evaluate()
  services = [...catalogWith(1)]
  for (let minute = 1; minute <= 12; minute += 1) {
    nowMs = t0 + minute * minuteMs
    await watch.evaluate()
  }
  expect([openOf(watch), watch.state().spent]).toEqual([[], [{ slug: 'on-0', sinceMs: t0 - 2 * minuteMs }]])
  const restarted = watchOf()
  await restarted.evaluate()
  expect(restarted.state()).toEqual(watch.state())
})

test('does not evaluate before the readings are loaded', async () => {
  services = catalogWith(6)
  await watchOf().evaluate()
  const cold = watchOf({ isReady: () => false, services: () => [] })
  nowMs += minuteMs
  await cold.evaluate()
  expect(openOf(cold)).toEqual(incident)
  expect(await writtenAt()).toBe(t0)
})

test('ignores a stored state that is one hour old', async () => {
  services = catalogWith(6)
  await watchOf().evaluate()
  services = catalogWith(0)
  nowMs = t0 + hourMs
  const later = watchOf({ lease: () => null })
  await later.evaluate()
  expect(openOf(later)).toEqual([])
})

test('replaces an invalid stored state', async () => {
  await owner`insert into shared_state (at, state) values (${new Date(t0 - 1)}, '{"open": 7}')`
  services = catalogWith(6)
  const watch = watchOf()
  await watch.evaluate()
  expect([openOf(watch), await writtenAt()]).toEqual([incident, t0])
})

test('ignores and replaces a stored state from the future', async () => {
  services = catalogWith(6)
  nowMs = t0 + hourMs
  await watchOf().evaluate()
  nowMs = t0
  const reading = watchOf({ lease: () => null })
  await reading.evaluate()
  expect([openOf(reading), await writtenAt()]).toEqual([[], t0 + hourMs])
  await watchOf().evaluate()
  await reading.evaluate()
  expect([openOf(reading), await writtenAt()]).toEqual([incident, t0])
})

test('a former owner of the lease does not change the stored state', async () => {
  services = catalogWith(6)
  const former = lease
  const lost = watchOf({ lease: () => former })
  lease = await acquireFirst()
  await lost.evaluate()
  expect(await writtenAt()).toBeNull()
})

test('continues to evaluate an incident while Postgres is unavailable', async () => {
  services = catalogWith(5)
  const own = connectPostgres(database.url, { connectionsMax: 1 })
  const watch = watchOf({ sql: own })
  await watch.evaluate()
  await own.end()
  services = catalogWith(6)
  nowMs += minuteMs
  await expect(watch.evaluate()).rejects.toThrow()
  expect(watch.state().open[0]?.members).toHaveLength(6)
})

test('does not evaluate before the stored state was read', async () => {
  services = catalogWith(6)
  const own = connectPostgres(database.url, { connectionsMax: 1 })
  await own.end()
  const watch = watchOf({ sql: own })
  await expect(watch.evaluate()).rejects.toThrow()
  expect(openOf(watch)).toEqual([])
})

const writtenAt = async (): Promise<number | null> => {
  const [row] = await owner<{ at: Date }[]>`select at from shared_state`
  return row?.at.getTime() ?? null
}
