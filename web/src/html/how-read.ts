import type { Asked, Evidence } from '@probe-mesh/contracts/outage/answers'
import { askedList } from './asked-words.ts'
import { card, facts } from './components/card.ts'
import { regionLabel } from './components/region-marks.ts'
import { tag } from './components/tag.ts'
import { freshWords } from './answer-words.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { duration, none, time } from './measures.ts'

/** Where an answer was measured, for every page and its Markdown. */
export const vantageWords: Readonly<Record<Evidence['vantage'], string>> = {
  local: 'one machine, which stands for every region',
  regional: 'a probe of our own in each region',
}

const regionsOf = ({ regionsRead }: Evidence): Piece =>
  regionsRead.length === 0
    ? 'none'
    : html`<span class="region-list">${regionsRead.map((region) => html`${regionLabel(region)} `)}</span>`

/** Fresh has no colour: green only means up. */
export const freshMark = ({ verdict }: Evidence['freshness']): Html =>
  verdict === 'fresh' ? html`<strong>${freshWords.fresh.text}</strong>` : tag(freshWords[verdict])

/**
 * The evidence for an answer in one line of chips: freshness, time and place of the measurement.
 * @param regionCount of how many regions it may be read; null if unknown
 */
export const evidenceChips = (evidence: Evidence, regionCount: number | null = null): Html => {
  const { regionsRead, measuredAt, freshness, vantage } = evidence
  const read = regionsRead.length
  const all = regionCount ?? read
  return html`<ul class="evidence" aria-label="What this answer stands on">
    <li>${freshMark(freshness)}</li>
    <li>${measuredAt === null ? 'never measured' : html`measured ${time(measuredAt)}`}</li>
    <li>${read} of ${all} ${all === 1 ? 'region' : 'regions'}</li>
    ${vantage === 'local' && html`<li>from one machine</li>`}
  </ul>`
}

/** The evidence for an answer: addresses, regions, time and freshness of its readings (S-1207). */
export const howRead = (evidence: Evidence & Asked, note: Piece = null): Html => {
  const { measuredAt, freshness, vantage } = evidence
  return card(
    { id: 'how', title: 'How this was measured' },
    html`${facts([
      ['Regions read', regionsOf(evidence)],
      ['Measured', measuredAt === null ? 'never' : time(measuredAt)],
      [
        'Freshness',
        html`${freshMark(freshness)}
          <span class="muted">counts for ${duration(freshness.staleAfterSeconds)}</span>`,
      ],
      ['Measured from', vantageWords[vantage]],
    ])}
    ${askedList(evidence)} ${note !== null && html`<p class="muted small-print">${note}</p>`}`,
  )
}

/** `fresh, 10 seconds old when this page was made; a measurement counts for 3 minutes` */
export const freshnessText = ({ verdict, ageSeconds, staleAfterSeconds }: Evidence['freshness']): string => {
  const age = ageSeconds === null ? none : duration(ageSeconds)
  const said = verdict === 'no_data' ? 'no data' : `${verdict}, ${age} old when this page was made`
  return `${said}; a measurement counts for ${duration(staleAfterSeconds)}`
}
