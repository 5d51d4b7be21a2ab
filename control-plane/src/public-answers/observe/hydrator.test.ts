import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { beforeEach, expect, test } from 'vitest'
import { indexCatalog, type CatalogIndex } from '../../catalog/catalog-index.ts'
import { service } from '../../catalog/testing.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { createCatalogMemory, type CatalogMemory } from './catalog-memory.ts'
import { failingSinceMs } from './probe-state.ts'
import { createHydrator } from './hydrator.ts'
import { catalogReading, probeAt, rowOf } from './testing.ts'

const clickhouse = useClickHouse()

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const nowMs = Math.floor(Date.now() / minuteMs) * minuteMs
const staleAfterMs = 145_000
const regions = ['fra', 'iad']
const { signal } = new AbortController()

/** Each test has its own catalog, and so its own check ids. */
let catalog: CatalogIndex
let memory: CatalogMemory
beforeEach(() => {
  const url = `https://${uuidv7(Date.now())}.example/`
  catalog = indexCatalog({ stacks: [], services: [service('one', { probes: [probeAt(url)] })] })
  memory = memoryOf()
})
const memoryOf = () => createCatalogMemory({ catalog, regions, now: () => nowMs })
const hydratorOf = (into: CatalogMemory, now = () => nowMs) =>
  createHydrator({ clickhouse, catalog, memory: into, staleAfterMs, now, signal })
const reading = (region: string, verdict: Verdict, atMs: number, more: Partial<Reading> = {}) =>
  catalogReading(['one', 0], region, verdict, atMs, more, catalog)
const insert = (readings: readonly Reading[]) =>
  insertReadings(clickhouse, readings.map(rowOf), uuidv7(Date.now()))
const everyMinute = (fromMs: number, toMs: number): number[] =>
  Array.from({ length: Math.round((toMs - fromMs) / minuteMs) }, (_, k) => fromMs + k * minuteMs)
const statesOf = (one: CatalogMemory) => regions.map((region) => one.probesOf('one', region)[0])

test('readings loaded from ClickHouse give the same memory as broadcast readings', async () => {
  const http = { type: 'http' as const, cdn: 'fastly', nameServers: ['a.example'] }
  const readings = [
    ...everyMinute(nowMs - 3 * hourMs, nowMs - hourMs).map((at) =>
      reading('fra', 'up', at, { latencyMs: 12.3, details: http }),
    ),
    ...everyMinute(nowMs - hourMs, nowMs).map((at) =>
      reading('fra', 'down', at, { latencyMs: 45.6, details: { ...http, cdn: null } }),
    ),
    ...everyMinute(nowMs - 3 * hourMs, nowMs).map((at, k) =>
      reading('iad', k % 3 === 0 ? 'blocked' : 'up', at, { latencyMs: 10 + k, details: http }),
    ),
    reading('iad', 'unmeasured', nowMs - 1),
    reading('iad', 'up', nowMs - 2, { kind: 'confirmation', latencyMs: 7, details: http }),
  ]
  await insert(readings)
  await hydratorOf(memory).hydrate()
  const broadcast = memoryOf()
  for (const one of readings) broadcast.add(one)
  expect(memory.readingsOf('one')).toEqual(broadcast.readingsOf('one'))
  const [[fra, iad], [broadcastFra, broadcastIad]] = [statesOf(memory), statesOf(broadcast)]
  expect(fra && failingSinceMs(fra)).toBe(nowMs - hourMs)
  expect(broadcastFra && failingSinceMs(broadcastFra)).toBe(nowMs - hourMs)
  expect(iad?.latencies.map(({ latencyMs }) => latencyMs)).toEqual(
    broadcastIad?.latencies.map(({ latencyMs }) => latencyMs),
  )
  expect([fra?.cdn?.value, fra?.nameServers?.value]).toEqual(['fastly', ['a.example']])
})

test('finds the start of a failure that began before the first search range', async () => {
  const since = nowMs - 20 * hourMs
  await insert([
    reading('fra', 'down', since - 2 * minuteMs),
    reading('fra', 'up', since - minuteMs),
    ...everyMinute(since, nowMs).map((at) => reading('fra', 'down', at)),
  ])
  await hydratorOf(memory).hydrate()
  const [fra] = statesOf(memory)
  expect(fra && failingSinceMs(fra)).toBe(since)
})

test('loads the last reading of a region up to one day back', async () => {
  await insert([reading('fra', 'blocked', nowMs - 23 * hourMs), reading('iad', 'up', nowMs - 25 * hourMs)])
  await hydratorOf(memory).hydrate()
  expect(memory.readingsOf('one')).toMatchObject([
    { readings: [{ verdict: 'blocked', measuredAt: nowMs - 23 * hourMs }] },
    { readings: [] },
  ])
})

test('an older reading from ClickHouse does not replace a broadcast one', async () => {
  await insert([reading('fra', 'up', nowMs - 2 * minuteMs)])
  memory.add(reading('fra', 'down', nowMs - minuteMs, { kind: 'confirmation' }))
  await hydratorOf(memory).hydrate()
  expect(memory.readingsOf('one')[0]?.readings).toMatchObject([
    { verdict: 'down', measuredAt: nowMs - minuteMs },
  ])
})

test('a second run loads readings that no broadcast delivered', async () => {
  let clock = nowMs - 10 * minuteMs
  const [hydrator, missed] = [hydratorOf(memory, () => clock), nowMs - minuteMs]
  await hydrator.hydrate()
  await insert([reading('fra', 'up', missed - minuteMs), reading('fra', 'down', missed)])
  clock = nowMs
  await hydrator.hydrate()
  const [fra] = statesOf(memory)
  expect(fra && failingSinceMs(fra)).toBe(missed)
})

test('a time of measurement in the future counts as the time of receipt', async () => {
  const [row] = [rowOf(reading('fra', 'up', nowMs - minuteMs))]
  const ahead = { ...row, reading: { ...row.reading, measuredAt: nowMs + 4 * minuteMs } }
  await insertReadings(clickhouse, [{ ...ahead, receivedAtMs: nowMs - minuteMs }], uuidv7(Date.now()))
  await hydratorOf(memory).hydrate()
  expect(memory.readingsOf('one')[0]?.readings[0]?.measuredAt).toBe(nowMs - minuteMs)
})

test('loads all checks of a catalog that needs several statements', async () => {
  const many = indexCatalog({
    stacks: [],
    services: Array.from({ length: 2_100 }, (_, k) =>
      service(`s${k}`, { probes: [probeAt(`https://${uuidv7(Date.now())}.example/`)] }),
    ),
  })
  const readings = many.checks.map(({ slug }) =>
    catalogReading([slug, 0], 'fra', 'up', nowMs - minuteMs, {}, many),
  )
  await insert(readings)
  const into = createCatalogMemory({ catalog: many, regions: ['fra'], now: () => nowMs })
  const capabilities = { clickhouse, catalog: many, memory: into, staleAfterMs, now: () => nowMs, signal }
  await createHydrator(capabilities).hydrate()
  expect(into.incomplete()).toEqual([])
})

test('a failing probe is down if it was up before the last day, and inconclusive if it never was', async () => {
  const dayMs = 24 * hourMs
  await insert([
    reading('fra', 'up', nowMs - 3 * dayMs),
    reading('fra', 'down', nowMs - minuteMs),
    reading('iad', 'down', nowMs - minuteMs),
  ])
  await hydratorOf(memory).hydrate()
  expect(memory.readingsOf('one')).toMatchObject([
    { region: 'fra', readings: [{ verdict: 'down' }], inconclusive: [] },
    { region: 'iad', readings: [], inconclusive: [{ why: 'unproven' }] },
  ])
})
