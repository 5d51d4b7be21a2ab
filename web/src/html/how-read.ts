import type { Asked, Evidence } from '@probe-mesh/contracts/outage/answers'
import { askedList } from './asked-words.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { duration, none, time } from './measures.ts'

/** Where an answer was measured from, as every page and its Markdown say it. */
export const vantageWords: Readonly<Record<Evidence['vantage'], string>> = {
  local: 'one machine, which stands for every region',
  regional: 'a probe of our own in each region',
}

/**
 * What an answer stands on: what was asked, from which regions, when, and how fresh that is (S-1207).
 */
export const howRead = (evidence: Evidence & Asked): Html => {
  const { regionsRead, measuredAt, freshness, vantage } = evidence
  return html`${askedList(evidence)}
    <section aria-labelledby="how">
      <h2 id="how">How this was read</h2>
      <dl>
        <dt>Regions read</dt>
        <dd>${regionsRead.length === 0 ? 'none' : regionsRead.join(', ')}</dd>
        <dt>Measured</dt>
        <dd>${measuredAt === null ? 'never' : time(measuredAt)}</dd>
        <dt>Freshness</dt>
        <dd>${freshnessText(freshness)}</dd>
        <dt>Measured from</dt>
        <dd>${vantageWords[vantage]}</dd>
      </dl>
    </section>`
}

/** `fresh, 10 seconds old when this page was made; a measurement counts for 3 minutes` */
export const freshnessText = ({ verdict, ageSeconds, staleAfterSeconds }: Evidence['freshness']): string => {
  const age = ageSeconds === null ? none : duration(ageSeconds)
  const said = verdict === 'no_data' ? 'no data' : `${verdict}, ${age} old when this page was made`
  return `${said}; a measurement counts for ${duration(staleAfterSeconds)}`
}
