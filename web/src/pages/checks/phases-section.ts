import type { CheckDetail, RegionStatus } from '@probe-mesh/contracts/check/check'
import { phaseBars, phases } from '../../charts/phase-bars.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { milliseconds, time } from '../../html/measures.ts'
import { regionName } from '../../html/region-name.ts'
import { table } from '../../html/components/table.ts'

/** Where the time of the newest reading of each region went. */
export const phasesSection = ({ regionStatuses }: Pick<CheckDetail, 'regionStatuses'>): Html | null => {
  const measured = regionStatuses.filter(({ timings }) => phases.some(({ of }) => of(timings) !== null))
  const bars = phaseBars(
    'phases',
    measured.map(({ region, timings }) => ({
      label: regionName(region),
      startMs: 0,
      timings,
    })),
    { title: 'Phases of the newest reading of each region' },
  )
  if (bars === null) return null
  return html`
    <h2>Phases</h2>
    <p class="muted">
      Of the newest reading of each region, its last request only: redirects before it are in the latency and
      not here.
    </p>
    ${bars}
    <details>
      <summary>The phases as a table</summary>
      ${table(
        'Phases of the newest reading of each region',
        [
          { heading: 'Region', cell: ({ region }: RegionStatus) => regionName(region) },
          ...phases.map(({ name, of }) => ({
            heading: name,
            isNumber: true,
            cell: ({ timings }: RegionStatus) => milliseconds(of(timings)),
          })),
          {
            heading: 'Latency',
            isNumber: true,
            cell: ({ latencyMs }: RegionStatus) => milliseconds(latencyMs),
          },
          { heading: 'Measured', cell: ({ measuredAt }: RegionStatus) => time(measuredAt) },
          { heading: 'Fresh', cell: ({ fresh }: RegionStatus) => (fresh ? 'yes' : 'no') },
        ],
        measured,
      )}
    </details>
  `
}
