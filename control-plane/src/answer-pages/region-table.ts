import type { RegionalReading } from '@probe-mesh/contracts/answers'
import { markup } from './markup.ts'
import type { Markup } from './markup.ts'
import { milliseconds, none, time } from './measures.ts'
import { table } from './table.ts'
import { statusWords, tag } from './tag.ts'

/** "Per region, latency, measurement time, and whether it is still fresh" (specification). */
export const regionTable = (regions: readonly RegionalReading[]): Markup =>
  regions.length === 0
    ? markup`<p>No region measures it.</p>`
    : table(
        'Newest reading of each region',
        [
          { heading: 'Region', cell: ({ region }) => region },
          { heading: 'Status', cell: ({ status }) => tag(statusWords[status]) },
          { heading: 'Latency', cell: (one) => milliseconds(one.latencyMs), isNumber: true },
          { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
          { heading: 'Freshness', cell: freshnessOf },
          { heading: 'Reason', cell: ({ reason }) => reason ?? none },
        ],
        regions,
      )

const freshnessOf = ({ fresh, measuredAt }: RegionalReading): string =>
  fresh ? 'fresh' : measuredAt === null ? 'no data' : 'not fresh'
