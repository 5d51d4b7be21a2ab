import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { connectClickHouse, type ClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { createLog } from '../../app/log.ts'
import type { Outage } from '../past-outages.ts'
import { createCatalogBroadcast } from './catalog-broadcast.ts'
import { startObserver, type Observer } from './observer.ts'
import { outageCacheBounds } from './past-outages.ts'
import { catalogReading, rowOf, testCatalog as catalog } from './testing.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
const store = useTestClickHouse()
const clickhouse = store.use()

let folder: string
let bus: Bus
let observers: Observer[]
let returned: (() => void)[]
let quarantined: string[]
let nowMs: number
beforeEach(async () => {
  folder = testFolder('observe-')
  bus = await openInProcessBus({ directory: folder })
  observers = []
  returned = []
  quarantined = []
  nowMs = Date.now()
  await clickhouse.command({ query: 'truncate table readings_raw' })
})
afterEach(async () => {
  await Promise.all(observers.map((observer) => observer.close()))
  await bus.close()
})

const start = async (from: ClickHouse = clickhouse) => {
  const registry = new Registry()
  const observer = await startObserver({
    sql,
    clickhouse: from,
    bus: { ...bus, onReturn: (listener) => (returned.push(listener), bus.onReturn(listener)) },
    catalog,
    regions: ['fra', 'iad'],
    catalogIntervalSeconds: 60,
    lease: () => null,
    vantage: 'regional',
    isQuarantined: (region) => quarantined.includes(region),
    burstSinceMs: () => null,
    outageCache: createExpiringCache<readonly Outage[]>({ now: () => nowMs, ...outageCacheBounds }),
    registry,
    log: createLog('silent'),
    now: () => nowMs,
  })
  observers.push(observer)
  const metric = async (name: string): Promise<number | undefined> =>
    (await registry.getSingleMetric(name)?.get())?.values[0]?.value
  const hydrated = () => vi.waitFor(async () => expect(await metric('observe_hydrated')).toBe(1))
  return { ...observer, metric, hydrated }
}
/** A connection to port 1, which no server uses. */
const unavailable = () => connectClickHouse('http://127.0.0.1:1')
const broadcast = (...readings: Parameters<ReturnType<typeof createCatalogBroadcast>>[0]) =>
  createCatalogBroadcast({
    events: bus.events,
    catalog,
    log: createLog('silent'),
    now: () => nowMs,
  })(readings)
const verdictsOf = ({ observed }: Pick<Observer, 'observed'>, slug = 'one') =>
  observed.regionsOf(slug).map(({ readings }) => readings.map(({ verdict }) => verdict).join(' '))
const fra = (verdict: Verdict, atMs: number) => catalogReading(['one', 0], 'fra', verdict, atMs)

test('every control plane, including the sender, stores broadcast readings', async () => {
  const [one, two] = [await start(), await start()]
  await Promise.all([one.hydrated(), two.hydrated()])
  const versions = [one, two].map(({ observed }) => observed.versionOf('one'))
  broadcast(
    fra('up', nowMs - 20),
    fra('down', nowMs - 10),
    fra('down', nowMs - 9),
    catalogReading(['two', 1], 'iad', 'up', nowMs - 5),
  )
  for (const each of [one, two]) {
    await vi.waitFor(() => expect(verdictsOf(each)).toEqual(['down', '']))
    await vi.waitFor(() => expect(verdictsOf(each, 'two')).toEqual(['', 'up']))
  }
  expect(one.observed.regionsOf('one')).toEqual(two.observed.regionsOf('one'))
  expect(one.observed.services()).toEqual(two.observed.services())
  expect([one, two].map(({ observed }) => observed.versionOf('one'))).not.toEqual(versions)
})

test('a restarted process answers once the stored readings are loaded, not before', async () => {
  await insertReadings(clickhouse, [rowOf(fra('blocked', nowMs - 9_000))], uuidv7(nowMs))
  const observer = await start()
  const before = observer.observed.versionOf('one')
  expect(verdictsOf(observer)).toEqual(['', ''])
  await observer.hydrated()
  expect(verdictsOf(observer)).toEqual(['blocked', ''])
  expect(observer.observed.versionOf('one')).not.toBe(before)
})

test('without ClickHouse it answers once all fresh readings must have been broadcast, not before', async () => {
  const store = unavailable()
  const observer = await start(store)
  broadcast(fra('up', nowMs - 10))
  await vi.waitFor(async () => expect(await observer.metric('observe_readings_total')).toBe(1))
  expect(verdictsOf(observer)).toEqual(['', ''])
  nowMs += 144_999
  expect(verdictsOf(observer)).toEqual(['', ''])
  const before = observer.observed.versionOf('one')
  nowMs += 1
  expect(verdictsOf(observer)).toEqual(['up', ''])
  expect(observer.observed.versionOf('one')).not.toBe(before)
  expect(await observer.metric('observe_hydrated')).toBe(0)
  await vi.waitFor(async () => expect(await observer.metric('observe_failures_total')).toBeGreaterThan(0))
  await store.close()
})

test('loads missed readings from ClickHouse when the bus returns', async () => {
  const observer = await start()
  await observer.hydrated()
  await insertReadings(
    clickhouse,
    [fra('up', nowMs - 2_000), fra('down', nowMs - 1_000)].map(rowOf),
    uuidv7(nowMs),
  )
  for (const listener of returned) listener()
  await vi.waitFor(() => expect(verdictsOf(observer)).toEqual(['down', '']))
})

test('counts malformed broadcasts and ignores them', async () => {
  const observer = await start()
  await observer.hydrated()
  const readings = [{ ...fra('down', nowMs), verdict: 'broken' }]
  bus.events.publish('catalog_readings', { readings })
  bus.events.publish('catalog_readings', null)
  await vi.waitFor(async () => expect(await observer.metric('observe_malformed_events_total')).toBe(2))
  expect(verdictsOf(observer)).toEqual(['', ''])
})

test('marks a quarantined region in readings and weather at once', async () => {
  const observer = await start()
  await observer.hydrated()
  const before = observer.observed.versionOf('one')
  quarantined = ['iad']
  const flagsOf = (regions: readonly { region: string; quarantined: boolean }[]) =>
    regions.map(({ region, quarantined }) => [region, quarantined])
  const expected = [
    ['fra', false],
    ['iad', true],
  ]
  expect(flagsOf(observer.observed.regionsOf('one'))).toEqual(expected)
  expect(flagsOf(observer.observed.weather())).toEqual(expected)
  const during = observer.observed.versionOf('one')
  expect([during === before, observer.observed.versionOf('one') === during]).toEqual([false, true])
})

test('latencies come from fresh up readings of the deciding probe, with its own baseline', async () => {
  const dayMs = 86_400_000
  const usual = catalogReading(['two', 1], 'fra', 'up', nowMs - dayMs, { latencyMs: 80 })
  await insertReadings(clickhouse, [rowOf(usual)], uuidv7(nowMs))
  const observer = await start()
  await observer.hydrated()
  const up = (probe: number, agoMs: number, latencyMs: number) =>
    catalogReading(['two', probe], 'fra', 'up', nowMs - agoMs, { latencyMs })
  broadcast(
    catalogReading(['two', 0], 'fra', 'blocked', nowMs - 10),
    up(1, 400_000, 1),
    up(1, 120_000, 300),
    up(1, 60_000, 200),
  )
  const { observed } = observer
  await vi.waitFor(() => expect(observed.latenciesOf('two')[0]?.latenciesMs).toEqual([200, 300]))
  await vi.waitFor(() => expect(observed.latenciesOf('two')[0]?.baseline).toEqual({ p50Ms: 80, samples: 1 }))
  expect(observed.latenciesOf('two')[1]).toEqual({ region: 'iad', latenciesMs: [], baseline: null })
})

test('passing time does not change the version of a service', async () => {
  const usual = catalogReading(['one', 0], 'iad', 'up', nowMs - 86_400_000)
  await insertReadings(clickhouse, [rowOf(usual)], uuidv7(nowMs))
  const observer = await start()
  await observer.hydrated()
  await vi.waitFor(() => expect(observer.observed.latenciesOf('one')[1]?.baseline).not.toBeNull())
  const before = observer.observed.versionOf('one')
  nowMs += 3_000
  observer.observed.services()
  expect(observer.observed.versionOf('one')).toBe(before)
})
