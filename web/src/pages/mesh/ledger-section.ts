import {
  ledgerMinutes,
  type Lateness,
  type Ledger,
  type LedgerMinutes,
  type LedgerRow,
  type RegionLedger,
} from '@probe-mesh/contracts/mesh/mesh'
import type { Asked } from '../../api/ask.ts'
import { historyDelayed } from '../../html/history-delayed.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { duration, exactTime, milliseconds, named } from '../../html/measures.ts'
import { card } from '../../html/components/card.ts'
import { chips } from '../../html/components/page-head.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { pageLinks } from '../paging.ts'
import { shareBar } from './share-bar.ts'

const path = '/dashboard/mesh'

/** The account's slots: due, measured, and every gap by its name. */
export const ledgerSection = (ledger: Asked<Ledger>, minutes: LedgerMinutes): Html =>
  card(
    {
      id: 'ledger',
      title: 'Probes of your checks',
      actions: chips(
        'Period',
        ledgerMinutes.map((each) => ({
          path: `${path}?minutes=${each}#ledger`,
          text: duration(each * 60),
          isCurrent: each === minutes,
        })),
      ),
    },
    ledger.ok
      ? counted(ledger.value, minutes)
      : html`<p class="notice">
          ${historyDelayed(ledger.problem)} Measured and missed probes appear later.
        </p>`,
  )

const counted = (ledger: Ledger, minutes: LedgerMinutes): Html => {
  const { from, to, total, gaps, number, last } = ledger
  if (total === 0)
    return html`<div class="empty">
      <p class="empty-title">No probe was due</p>
      <p><a href="/dashboard/checks/new">New check</a></p>
    </div>`
  return html`
    <p class="muted">
      From ${exactTime(from)} to ${exactTime(to)}.
      ${gaps === 0 ? 'No probe was missed.' : html`<strong class="bad">Probes were missed in ${gaps} of ${total} rows.</strong>`}
    </p>
    ${ledger.isCut && html`<p class="notice">Only some of your checks are counted, since there are too many.</p>`}
    ${table('Probes by region', regionColumns, ledger.regions)}
    <details>
      <summary>By check and region</summary>
      ${table('Probes by check and region', rowColumns, ledger.rows)}
      ${pageLinks({ rows: ledger.rows, number, last, total }, path, { minutes: String(minutes) })}
    </details>
    <details>
      <summary>Delays</summary>
      <p class="muted">
        Scheduled readings since ${exactTime(ledger.latenessFrom)}. Arrival depends on the clocks of agents.
      </p>
      ${
        ledger.lateness.length === 0
          ? html`<p class="muted">No readings yet.</p>`
          : table('Delays by region', latenessColumns, ledger.lateness)
      }
    </details>
  `
}

const missingOf = ({ missing }: Pick<RegionLedger, 'missing'>): Piece =>
  missing === 0 ? 0 : tag({ tone: 'bad', text: `${missing} missed` })

const counts = [
  { heading: 'Due', cell: ({ due }: RegionLedger) => due, isNumber: true },
  { heading: 'Measured', cell: ({ measured }: RegionLedger) => measured, isNumber: true },
  {
    heading: 'Not measurable',
    cell: ({ unmeasured }: RegionLedger) => unmeasured,
    isNumber: true,
  },
  { heading: 'Missed', cell: missingOf, isNumber: true },
]

const regionColumns = [
  { heading: 'Region', cell: ({ region }: RegionLedger): Piece => regionLabel(region) },
  { heading: 'Share', cell: (row: RegionLedger): Piece => shareBar(row) },
  ...counts,
]

const rowColumns = [
  {
    heading: 'Check',
    cell: ({ checkId, name }: LedgerRow) => html`<a href="/dashboard/checks/${checkId}">${named(name)}</a>`,
  },
  { heading: 'Region', cell: ({ region }: LedgerRow) => region },
  ...counts,
]

const latenessColumns = [
  { heading: 'Region', cell: ({ region }: Lateness) => region },
  { heading: 'Readings', cell: ({ readings }: Lateness) => readings, isNumber: true },
  {
    heading: 'Start p95',
    cell: ({ beganP95Ms }: Lateness) => milliseconds(beganP95Ms),
    isNumber: true,
  },
  {
    heading: 'Start max',
    cell: ({ beganMaxMs }: Lateness) => milliseconds(beganMaxMs),
    isNumber: true,
  },
  {
    heading: 'Arrival p95',
    cell: ({ arrivedP95Ms }: Lateness) => milliseconds(arrivedP95Ms),
    isNumber: true,
  },
  {
    heading: 'Arrival max',
    cell: ({ arrivedMaxMs }: Lateness) => milliseconds(arrivedMaxMs),
    isNumber: true,
  },
]
