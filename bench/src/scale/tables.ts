import { Tier } from '@probe-mesh/contracts/account/tiers'
import { markdownTable } from '../documents/markdown-table.ts'
import { countText, numberText } from '../documents/number-text.ts'
import { assumptions } from './assumptions.ts'
import { costNames } from './costs.ts'
import type { Cost, Costs } from './costs.ts'
import { diskOf, partsOf, ratesOf, restOf } from './derive.ts'
import type { Load } from './derive.ts'
import { limitsOf, streamHoldsSeconds } from './limits-of-the-mesh.ts'

/** What `docs/scale.md` is about. */
export const fullLoad: Load = { checks: 1_000_000, regions: 10, intervalSeconds: 60 }

/** The tables of `docs/scale.md` by the names of their markers. */
export const tablesOf = (costs: Costs, simulated: readonly Cost[]): Record<string, string> => ({
  simulation: figuresTable(simulated),
  rates: ratesTable(costs),
  parts: partsTable(costs),
  disk: diskTable(costs),
  money: moneyTable(costs),
  limits: limitsTable(costs),
  costs: costsTable(costs),
  assumptions: assumptionsTable(),
})

const ratesTable = (costs: Costs): string => {
  const rates = ratesOf(fullLoad, costs)
  return markdownTable(
    ['of the whole mesh', 'a second', 'from'],
    [
      ['readings', countText(rates.readings), 'checks x regions / interval'],
      ['messages', countText(rates.messages), `\`${costs.readingsPerMessage.figure}\``],
      ['bytes to NATS', size(rates.wireBytes), `\`${costs.wireBytes.figure}\``],
      ['bits to NATS', `${numberText((rates.wireBytes * 8) / 1e6)} Mbit`, 'the same'],
      [
        'of them from one region',
        `${numberText((rates.wireBytes * 8) / 1e6 / fullLoad.regions)} Mbit`,
        'the same',
      ],
      [
        'bytes between NATS servers and to control planes',
        size(rates.wireBytes * (assumptions.natsReplicas - 1 + consumersOfReadings)),
        `${assumptions.natsReplicas - 1} further copies, ${consumersOfReadings} consumers`,
      ],
      [
        'states written to Postgres',
        countText(rates.stateWrites),
        `\`${costs.stateWritesPerReading.figure}\``,
      ],
      [
        'checks looked up in Postgres',
        countText(rates.lookUps),
        'each 5 s after it was believed last',
      ],
      ['rows into ClickHouse', countText(rates.readings), 'one a reading, and its two rollups'],
    ],
  )
}

/** Ingest and assess. */
const consumersOfReadings = 2

const partsTable = (costs: Costs): string => {
  const parts = partsOf(fullLoad, costs, assumptions)
  return markdownTable(
    ['part', 'processes', 'busy cores', 'memory of each', 'machines', 'a month'],
    [
      ...parts.map((part) => [
        part.part,
        countText(part.processes),
        numberText(part.busyCores),
        `${numberText(part.memoryGib)} GiB`,
        `${countText(part.machines)} x ${part.machine}`,
        dollars(part.dollars),
      ]),
      [
        'together',
        countText(sum(parts.map(({ processes }) => processes))),
        numberText(sum(parts.map(({ busyCores }) => busyCores))),
        '',
        countText(sum(parts.map(({ machines }) => machines))),
        dollars(sum(parts.map((part) => part.dollars))),
      ],
    ],
  )
}

const diskTable = (costs: Costs): string =>
  markdownTable(
    ['were all checks', 'raw a day', 'minutes a day', 'hours a day', 'kept', 'one copy'],
    Tier.options.map((tier) => {
      const disk = diskOf(fullLoad, costs, tier)
      return [
        tier,
        size(disk.rawBytesPerDay),
        size(disk.minuteBytesPerDay),
        size(disk.hourBytesPerDay),
        `${disk.rawDays} days, hours ${disk.hourDays}`,
        size(disk.totalBytes),
      ]
    }),
  )

const moneyTable = (costs: Costs): string => {
  const machines = sum(partsOf(fullLoad, costs, assumptions).map((part) => part.dollars))
  const rest = restOf(fullLoad, costs, assumptions)
  const all = machines + sum(rest.map((row) => row.dollars))
  const runs = ratesOf(fullLoad, costs).readings * 3_600 * assumptions.hoursPerMonth
  return markdownTable(
    ['of a month', 'GB', 'dollars'],
    [
      ['machines', '', dollars(machines)],
      ...rest.map(({ what, gb, dollars: cost }) => [what, countText(gb), dollars(cost)]),
      ['together', '', dollars(all)],
      ['of a check in ten regions', '', `$${(all / fullLoad.checks).toFixed(4)}`],
      ['of a million runs', '', `$${((all / runs) * 1e6).toFixed(3)}`],
    ],
  )
}

const limitsTable = (costs: Costs): string =>
  markdownTable(
    ['at checks', 'what', 'then', 'what one would do'],
    limitsOf(fullLoad, costs, assumptions).map(({ what, checks, consequence, remedy }) => [
      countText(checks),
      what,
      consequence,
      remedy,
    ]),
  ).concat(
    `\n\nThe stream of readings holds ${numberText(streamHoldsSeconds(fullLoad, costs))} s of this load; a takeover takes up to ${numberText(costs.takeoverMs.value / 1_000)} s.`,
  )

const costsTable = (costs: Costs): string => figuresTable(costNames.map((name) => costs[name]))

const figuresTable = (figures: readonly Cost[]): string =>
  markdownTable(
    ['figure', 'value', 'bench', 'run'],
    figures.map(({ figure, value, unit, bench, date, commit }) => [
      `\`${figure}\``,
      `${value.toLocaleString('en-US', { maximumSignificantDigits: 15 })} ${unit}`,
      bench,
      `${date}, ${commit}`,
    ]),
  )

const assumptionsTable = (): string => {
  const { machines } = assumptions
  return markdownTable(
    ['assumed', 'value'],
    [
      ...Object.values(machines).map(({ name, cores, gib, dollarsPerHour }) => [
        `${name}: ${cores} cores, ${gib} GiB`,
        `$${dollarsPerHour} an hour`,
      ]),
      ['a network volume', `$${assumptions.volumePerGbMonth} a GB and month`],
      [
        'traffic between regions, and outward',
        `$${assumptions.regionTrafficPerGb} and $${assumptions.outwardTrafficPerGb} a GB`,
      ],
      ['how busy a core may be', `${assumptions.busyShareMax * 100} %`],
      ['how full a disk may be', `${assumptions.diskShareMax * 100} %`],
      [
        'copies in NATS, in ClickHouse, Postgres servers',
        `${assumptions.natsReplicas}, ${assumptions.clickhouseReplicas}, ${assumptions.postgresServers}`,
      ],
      ['merges cost, beside inserting', `${assumptions.mergeFactor - 1} times as much again`],
      ['on the disk of one ClickHouse server', size(assumptions.clickhouseBytesPerServer)],
      [
        'the log that a Postgres primary writes',
        `${size(assumptions.walBytesPerSecondMax)} a second`,
      ],
      ['cores that one Postgres server puts to use', String(assumptions.postgresCoresMax)],
      ['cores that the leader of one NATS stream puts to use', String(assumptions.streamCoresMax)],
      ['what a run sends to its target', size(assumptions.probeOutwardBytes)],
    ],
  )
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

const dollars = (value: number): string => `$${countText(value)}`

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Decimal units, as disks are sold. */
export const size = (bytes: number): string => {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes) / 3)))
  return `${numberText(bytes / 1_000 ** step)} ${units[step] ?? 'B'}`
}
