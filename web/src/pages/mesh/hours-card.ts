import type { LedgerHours } from '@probe-mesh/contracts/mesh/mesh'
import type { Asked } from '../../api/ask.ts'
import { ledgerStrip, slotText } from '../../charts/ledger-strip.ts'
import { card } from '../../html/components/card.ts'
import { regionName } from '../../html/components/region-name.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { historyDelayed } from '../../html/history-delayed.ts'
import { exactTime } from '../../html/measures.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'

const hourMs = 3_600_000

/** Expected probes against stored readings of the last 24 hours, by region. */
export const hoursCard = (hours: Asked<LedgerHours>): Html =>
  card(
    { id: 'hours', title: 'Coverage by hour', about: 'last 24 hours' },
    hours.ok ? drawn(hours.value) : html`<p class="notice">${historyDelayed(hours.problem)}</p>`,
  )

const drawn = ({ from, to, regions, isCut }: LedgerHours): Html => {
  if (regions.length === 0) return html`<p class="muted">No probe was due in the last 24 hours.</p>`
  const fromMs = Date.parse(from)
  return html`
    ${isCut && html`<p class="notice">Only some of your checks and regions are counted, since there are too many.</p>`}
    ${ledgerStrip({
      id: 'coverage',
      title: 'Coverage by region and hour',
      fromMs,
      stepMs: hourMs,
      rows: regions.map((row) => ({ key: row.region, name: regionName(row.region), slots: row.hours })),
    })}
    <details>
      <summary>Every hour as a table</summary>
      ${table('Coverage by hour, newest first', columnsOf(regions), hoursOf(regions, fromMs).toReversed())}
    </details>
    <p class="muted small-print">Until ${exactTime(to)}. Newer readings may still be on their way.</p>
  `
}

type Region = LedgerHours['regions'][number]
/** Index of an hour, and when it begins. */
type Hour = { index: number; at: string }

const hoursOf = ([first]: readonly Region[], fromMs: number): Hour[] =>
  (first?.hours ?? []).map((_, index) => ({ index, at: new Date(fromMs + index * hourMs).toISOString() }))

const columnsOf = (regions: readonly Region[]) => [
  { heading: 'Hour from', cell: ({ at }: Hour): Piece => exactTime(at) },
  ...regions.map(({ region, hours }) => ({
    heading: regionName(region),
    cell: ({ index }: Hour): Piece => {
      const hour = hours[index]
      if (hour === undefined) return null
      const text = slotText(hour)
      return hour.missing > 0 ? tag({ tone: 'bad', text }) : text
    },
  })),
]
