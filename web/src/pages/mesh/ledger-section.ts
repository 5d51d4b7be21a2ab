import { ledgerMinutes } from '@probe-mesh/contracts/mesh/mesh'
import type {
  Lateness,
  Ledger,
  LedgerMinutes,
  LedgerRow,
  RegionLedger,
} from '@probe-mesh/contracts/mesh/mesh'
import type { Asked } from '../../api/ask.ts'
import { historyDelayed } from '../../html/history-delayed.ts'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { duration, exactTime, milliseconds, named } from '../../html/measures.ts'
import { partHeading } from '../../html/components/on-this-page.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { pageLinks } from '../paging.ts'
import { meshParts } from './mesh-parts.ts'

const path = '/dashboard/mesh'

/** The account's slots: what was due, what was measured, and every gap by its name. */
export const ledgerSection = (ledger: Asked<Ledger>, minutes: LedgerMinutes): Html => html`
  ${partHeading(meshParts, 'ledger')}
  <nav aria-label="Length of the ledger">
    <p class="actions">
      ${ledgerMinutes.map(
        (each) =>
          html`<a
            href="${path}?minutes=${each}#ledger"
            ${attribute('aria-current', each === minutes ? 'true' : null)}
            >${duration(each * 60)}</a
          > `,
      )}
    </p>
  </nav>
  ${
    ledger.ok
      ? counted(ledger.value, minutes)
      : html`<p class="notice">
          The ledger and the lateness are not shown now. ${historyDelayed(ledger.problem)} Nothing is said of
          what was measured; the rest of this page is as it stands.
        </p>`
  }
`

const counted = (ledger: Ledger, minutes: LedgerMinutes): Html => {
  const { from, to, total, gaps, number, last } = ledger
  return html`
    <p>
      Slots from ${exactTime(from)} to ${exactTime(to)}: younger ones may still be on their way. Missing is
      what was due and is not stored; a reading that comes later still counts when it comes.
    </p>
    ${
      ledger.isCut &&
      html`<p class="notice">There are more checks than are counted here: this is a part of them.</p>`
    }
    ${
      total === 0
        ? html`<p>No slot of your checks was due.</p>`
        : html`
            ${table('Slots by region', regionColumns, ledger.regions)}
            <h3>By check and region</h3>
            <p>
              ${
                gaps === 0
                  ? 'Nothing is missing.'
                  : `Something is missing in ${gaps} of ${total} rows, which come first.`
              }
            </p>
            ${table('Slots by check and region', rowColumns, ledger.rows)}
            ${pageLinks({ rows: ledger.rows, number, last, total }, path, { minutes: String(minutes) })}
          `
    }
    <h3>Lateness</h3>
    <p>
      Of your scheduled readings since ${exactTime(ledger.latenessFrom)}: how late runs began after their
      slot, and how long readings took to arrive, which differs as the clocks of agents do.
    </p>
    ${
      ledger.lateness.length === 0
        ? html`<p>No reading is stored of that time.</p>`
        : table('Lateness by region', latenessColumns, ledger.lateness)
    }
  `
}

const missingOf = ({ missing }: Pick<RegionLedger, 'missing'>): Piece =>
  missing === 0 ? 0 : tag({ tone: 'bad', text: `${missing} missing` })

const counts = [
  { heading: 'Due', cell: ({ due }: RegionLedger) => due, isNumber: true },
  { heading: 'Measured', cell: ({ measured }: RegionLedger) => measured, isNumber: true },
  {
    heading: 'Could not measure',
    cell: ({ unmeasured }: RegionLedger) => unmeasured,
    isNumber: true,
  },
  { heading: 'Missing', cell: missingOf, isNumber: true },
]

const regionColumns = [{ heading: 'Region', cell: ({ region }: RegionLedger) => region }, ...counts]

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
    heading: 'Began late, 95 % within',
    cell: ({ beganP95Ms }: Lateness) => milliseconds(beganP95Ms),
    isNumber: true,
  },
  {
    heading: 'Began late, at most',
    cell: ({ beganMaxMs }: Lateness) => milliseconds(beganMaxMs),
    isNumber: true,
  },
  {
    heading: 'Arrived, 95 % within',
    cell: ({ arrivedP95Ms }: Lateness) => milliseconds(arrivedP95Ms),
    isNumber: true,
  },
  {
    heading: 'Arrived, at most',
    cell: ({ arrivedMaxMs }: Lateness) => milliseconds(arrivedMaxMs),
    isNumber: true,
  },
]
