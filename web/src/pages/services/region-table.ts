import type { RegionalReading } from '@probe-mesh/contracts/outage/answers'
import { serviceWords } from '../../html/answer-words.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { milliseconds, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'

/** By region: latency, when it was measured, and whether that is still fresh (S-1208). */
export const regionTable = (regions: readonly RegionalReading[]): Html =>
  regions.length === 0
    ? html`<p>No region measures it.</p>`
    : table(
        'Newest reading of each region',
        [
          { heading: 'Region', cell: ({ region }) => region },
          { heading: 'Status', cell: ({ status }) => tag(serviceWords[status]) },
          { heading: 'Latency', cell: (one) => milliseconds(one.latencyMs), isNumber: true },
          { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
          { heading: 'Freshness', cell: freshnessOf },
          { heading: 'Reason', cell: ({ reason }) => reason ?? none },
        ],
        regions,
      )

export const freshnessOf = ({ fresh, measuredAt }: Pick<RegionalReading, 'fresh' | 'measuredAt'>): string =>
  fresh ? 'fresh' : measuredAt === null ? 'no data' : 'not fresh'
