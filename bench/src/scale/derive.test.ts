import { expect, test } from 'vitest'
import { assumptions } from './assumptions.ts'
import { costNames, costsOf } from './costs.ts'
import type { Cost, CostName, Costs } from './costs.ts'
import { diskOf, partsOf, ratesOf, restOf } from './derive.ts'
import { limitsOf } from './limits-of-the-mesh.ts'
import { fullLoad, size } from './tables.ts'

const cost = (value: number): Cost => ({
  value,
  unit: '',
  bench: 'b',
  figure: 'f',
  date: '2026-11-22',
  commit: 'c',
})
/** Round numbers, by which one can follow what comes out. */
const costs = (over: Partial<Record<CostName, number>> = {}): Costs => {
  const all = Object.fromEntries(costNames.map((name) => [name, 1])) as Record<CostName, number>
  const values = { ...all, readingsPerMessage: 5, wireBytes: 500, payloadBytes: 400, ...over }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, cost(value)]),
  ) as Costs
}
const result = (date: string, figures: Record<string, number>) => ({
  date,
  commit: 'abc',
  machine: {
    cpu: '',
    cores: 2,
    memoryGiB: 24,
    platform: '',
    node: '',
    loadAverage: 0,
  },
  figures: Object.entries(figures).map(([figure, value]) => ({
    bench: 'b',
    figure,
    value,
    unit: 'bytes',
  })),
})

test('a million checks in ten regions each minute are 166,667 readings a second', () => {
  const rates = ratesOf(fullLoad, costs())
  expect(rates.readings).toBeCloseTo(166_666.7, 0)
  expect(rates.messages).toBeCloseTo(33_333.3, 0)
  expect(rates.wireBytes).toBeCloseTo(83_333_333, -1)
  // each check is believed for 5 s and read of every 6 s
  expect(rates.lookUps).toBeCloseTo(1_000_000 / 11, 0)
})

test('agents are as many as keep each at half a core, in every region', () => {
  const given = costs({ httpsRunCpu: 1.5, agentReadingCpu: 0, busiestAgent: 1 })
  const [agents] = partsOf(fullLoad, given, assumptions)
  // 16,667 runs a second of 1.5 ms are 25 busy cores
  expect(agents?.processes).toBe(500)
  expect(agents?.busyCores).toBeCloseTo(250, 6)
})

test('control planes are as many as keep whoever has most partitions at half a core, never more than partitions', () => {
  const of = (cpu: number) =>
    partsOf(fullLoad, costs({ controlPlaneReadingCpu: cpu }), assumptions).find(
      ({ part }) => part === 'control planes',
    )?.processes
  // 0.125, 0.25, 0.251, 0.5 and 0.51 cores a partition
  expect([0.012, 0.024, 0.0241, 0.048, 0.049].map(of)).toEqual([4, 8, 16, 16, 16])
})

test('what is kept is what comes in a day times the days of the tier', () => {
  const disk = diskOf(fullLoad, costs({ rawBytes: 20, minuteBytes: 10, hourBytes: 1 }), 'free')
  expect(disk.readingsPerDay).toBe(14_400_000_000)
  expect(disk.totalBytes).toBeCloseTo(14.4e9 * (30 * 7 + 90), -3)
})

test('every cost weighs: twice of it is never less money, nor fewer processes', () => {
  const total = (given: Costs) => {
    const parts = partsOf(fullLoad, given, assumptions)
    const rest = restOf(fullLoad, given, assumptions)
    return [...parts, ...rest].reduce((all, { dollars }) => all + dollars, 0)
  }
  const cheaper = new Set<CostName>(['readingsPerMessage'])
  for (const name of costNames) {
    if (cheaper.has(name)) continue
    const twice = costs({ [name]: 2 * costs()[name].value })
    expect(total(twice), name).toBeGreaterThanOrEqual(total(costs()))
  }
})

test('limits come in the order in which they are reached, and a dearer state comes earlier', () => {
  const at = (given: Costs) => limitsOf(fullLoad, given, assumptions)
  const checks = at(costs()).map((limit) => limit.checks)
  expect(checks).toEqual(checks.toSorted((a, b) => a - b))
  const wal = (given: Costs) => at(given).find(({ what }) => what.includes('log'))?.checks ?? 0
  expect(wal(costs({ stateWriteWalBytes: 2 }))).toBeCloseTo(wal(costs()) / 2, 0)
})

test('the newest run that has a figure counts, and what nobody measured is named', () => {
  const history = { mesh: [result('2026-01-01', { a: 1 })] }
  expect(() => costsOf(history)).toThrow(/mesh: mesh_control_plane_cpu_per_1000_readings/)
})

test.each([
  [999, '999 B'],
  [1_000, '1 kB'],
  [83_333_333, '83.3 MB'],
  [1.234e15, '1.23 PB'],
])('%d bytes are %s', (bytes, text) => expect(size(bytes)).toBe(text))
