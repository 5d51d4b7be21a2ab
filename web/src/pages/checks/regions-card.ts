import type { CheckDetail, RegionStatus } from '@probe-mesh/contracts/check/check'
import { endOf, phases, restOf, segmentsOf, waterfall } from '../../charts/waterfall.ts'
import { card } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { table } from '../../html/components/table.ts'
import { checkWords, tag } from '../../html/components/tag.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { milliseconds, none, time } from '../../html/measures.ts'

/** The last reading of each region: its state, its phases on one scale, its reason and its age. */
export const regionsCard = ({
  regionStatuses,
  type,
}: Pick<CheckDetail, 'regionStatuses' | 'type'>): Html | null => {
  if (regionStatuses.length === 0) return null
  const measured = regionStatuses.filter(({ timings }) => segmentsOf({ startMs: 0, timings }).length > 0)
  const rows = measured.map(({ region, timings, latencyMs }) => ({
    label: regionLabel(region),
    startMs: 0,
    timings,
    rest: restOf(type, { timings, latencyMs }),
  }))
  return card(
    { id: 'regions', title: 'Regions', about: 'last reading' },
    html`<div data-live="regions">
      ${table(
        'Last reading of each region',
        [
          { heading: 'Region', cell: ({ region }) => regionLabel(region) },
          { heading: 'State', cell: ({ status }) => tag(checkWords[status]) },
          { heading: 'Latency', isNumber: true, cell: ({ latencyMs }) => milliseconds(latencyMs) },
          { heading: 'Measured', cell: measuredCell },
          { heading: 'Reason', cell: ({ reason }) => reason ?? none },
        ],
        regionStatuses,
      )}
      ${
        measured.length > 0 &&
        html`<h3>Phases</h3>
          ${waterfall(rows, {
            title: 'Phases of the last reading of each region',
            firstHeading: 'Region',
            endMs: endOf(rows),
          })}
          <details>
            <summary>Phases as a table</summary>
            ${phaseTable(type, measured)}
          </details>`
      }
    </div>`,
  )
}

const measuredCell = ({ measuredAt, fresh }: RegionStatus): Html =>
  html`${time(measuredAt)}${measuredAt !== null && !fresh && html` <span class="muted">(not fresh)</span>`}`

const phaseTable = (type: CheckDetail['type'], measured: readonly RegionStatus[]): Html =>
  table(
    'Phases of the last reading of each region',
    [
      { heading: 'Region', cell: ({ region }: RegionStatus) => regionLabel(region) },
      ...phases.map(({ name, of }) => ({
        heading: name,
        isNumber: true,
        cell: ({ timings }: RegionStatus) => milliseconds(of(timings)),
      })),
      ...measured
        .flatMap((one) => restOf(type, one) ?? [])
        .slice(0, 1)
        .map(({ name }) => ({
          heading: name,
          isNumber: true,
          cell: (one: RegionStatus) => milliseconds(restOf(type, one)?.ms ?? null),
        })),
    ],
    measured,
  )
