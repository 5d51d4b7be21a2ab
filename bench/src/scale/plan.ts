import { errorsBytesMaxDefault, readingsBytesMaxDefault } from '@probe-mesh/bus/nats/topology'
import { privateMarks, regionBuckets } from '@probe-mesh/bus/nats/topology'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { markdownTable } from '../documents/markdown-table.ts'
import { countText, numberText } from '../documents/number-text.ts'
import { assumptions } from './assumptions.ts'
import type { CostName, Costs } from './costs.ts'
import { diskOf, ratesOf } from './derive.ts'
import type { Load } from './derive.ts'

/** What `docs/deploy.md` says of disk and memory, for the sizes that most people run. */
const loads: readonly Load[] = [
  { checks: 100, regions: 3, intervalSeconds: 60 },
  { checks: 1_000, regions: 3, intervalSeconds: 60 },
  { checks: 10_000, regions: 3, intervalSeconds: 60 },
  { checks: 10_000, regions: 10, intervalSeconds: 10 },
]
const tier: Tier = 'growth'
const mib = 2 ** 20
const gib = 2 ** 30
/** What Postgres keeps of its log by default (max_wal_size), and an empty database. */
const postgresLogBytes = 1.1 * gib

/** The tables of `docs/deploy.md` by the names of their markers. */
export const planTables = (costs: Costs): Record<string, string> => ({
  costs: costsTable(costs),
  plan: planTable(costs),
})

/** What the streams and buckets of NATS may hold at most, which it has to have at once. Pure. */
export const natsBytes = (regions: number): number => {
  const [mean] = [regionBuckets('fra').reduce((sum, { max_bytes: bytes }) => sum + bytes, 0)]
  return readingsBytesMaxDefault + errorsBytesMaxDefault + privateMarks.max_bytes + regions * mean
}

const named: readonly [string, CostName][] = [
  ['a reading in ClickHouse, raw', 'rawBytes'],
  ['its share of the minutes', 'minuteBytes'],
  ['its share of the hours', 'hourBytes'],
  ['a check in Postgres', 'postgresBytes'],
  ['a check in the memory of a control plane', 'assessorBytes'],
  ['the same, for each of its regions', 'ingestBytes'],
  ['a check in the memory of each agent of its region', 'agentBookBytes'],
]

const costsTable = (costs: Costs): string =>
  markdownTable(
    ['what', 'bytes', 'figure', 'measured'],
    named.map(([what, name]) => {
      const { value, bench, figure, date, commit } = costs[name]
      return [what, numberText(value), `\`${bench}\` \`${figure}\``, `${date} ${commit}`]
    }),
  )

const planTable = (costs: Costs): string =>
  markdownTable(
    [
      'checks',
      'regions',
      'every',
      'readings a second',
      'ClickHouse',
      'Postgres',
      'NATS',
      'control plane',
      'agent',
    ],
    loads.map((load) => {
      const { checks, regions, intervalSeconds } = load
      const free = 1 / assumptions.diskShareMax
      const clickhouse = diskOf(load, costs, tier).totalBytes * free
      const postgres = (checks * costs.postgresBytes.value + postgresLogBytes) * free
      const controlPlane =
        costs.controlPlaneBaseMib.value * mib +
        checks * (costs.assessorBytes.value + regions * costs.ingestBytes.value)
      const agent = costs.agentBaseMib.value * mib + checks * costs.agentBookBytes.value
      return [
        countText(checks),
        String(regions),
        `${intervalSeconds} s`,
        numberText(ratesOf(load, costs).readings),
        gibText(clickhouse),
        gibText(postgres),
        gibText(natsBytes(regions)),
        mibText(controlPlane),
        mibText(agent),
      ]
    }),
  )

const gibText = (bytes: number): string => `${numberText(bytes / gib)} GiB`
const mibText = (bytes: number): string => `${countText(bytes / mib)} MiB`
