import type { RegionalReading } from '@probe-mesh/contracts/outage/answers'
import { serviceWords } from '../../html/answer-words.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { tag } from '../../html/components/tag.ts'
import { placeOf } from '../../html/components/region-places.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { milliseconds, time } from '../../html/measures.ts'

/** Each region with its newest reading: state, latency, time, and whether it is still fresh (S-1208). */
export const regionCards = (regions: readonly RegionalReading[]): Html =>
  regions.length === 0
    ? html`<p class="muted">No region measures it.</p>`
    : html`<ul class="region-cards">
        ${regions.map(regionCard)}
      </ul>`

const regionCard = (one: RegionalReading): Html => {
  const { region, status, latencyMs, measuredAt, reason } = one
  const words = serviceWords[status]
  return html`<li class="${words.tone === 'bad' ? 'is-bad' : ''}">
    <p class="region-head">
      ${regionLabel(region)} <span class="muted">${placeOf(region)?.name.split(',')[0] ?? null}</span>
      ${tag(words)}
    </p>
    <p class="figure">${milliseconds(latencyMs)}</p>
    <p class="note">${measuredAt === null ? null : html`${time(measuredAt)}, `}${freshnessOf(one)}</p>
    ${reason !== null && html`<p class="reason">${reason}</p>`}
  </li>`
}

export const freshnessOf = ({ fresh, measuredAt }: Pick<RegionalReading, 'fresh' | 'measuredAt'>): string =>
  fresh ? 'fresh' : measuredAt === null ? 'no data' : 'not fresh'
