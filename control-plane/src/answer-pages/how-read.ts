import type { Evidence } from '@probe-mesh/contracts/answers'
import { markup } from './markup.ts'
import type { Markup } from './markup.ts'
import { duration, none, time } from './measures.ts'

const places: Readonly<Record<Evidence['vantage'], string>> = {
  local: 'one machine, which stands for every region',
  regional: 'a probe of our own in each region',
}

/** What the answer stands on, as every answer carries it: "the regions actually read, a measurement timestamp, an explicit freshness" (specification, Honesty rules). */
export const howRead = (evidence: Evidence): Markup => {
  const { regionsRead, measuredAt, freshness, vantage } = evidence
  return markup`<section aria-labelledby="how">
<h2 id="how">How this was read</h2>
<dl>
<dt>Regions read</dt><dd>${regionsRead.length === 0 ? 'none' : regionsRead.join(', ')}</dd>
<dt>Measured</dt><dd>${measuredAt === null ? 'never' : time(measuredAt)}</dd>
<dt>Freshness</dt><dd>${freshnessText(freshness)}</dd>
<dt>Measured from</dt><dd>${places[vantage]}</dd>
</dl>
</section>`
}

const freshnessText = ({ verdict, ageSeconds, staleAfterSeconds }: Evidence['freshness']): string =>
  ({
    fresh: `fresh, ${ageText(ageSeconds)} old when this page was made`,
    stale: `stale, ${ageText(ageSeconds)} old when this page was made`,
    no_data: 'no data',
  })[verdict] + `; a measurement counts for ${duration(staleAfterSeconds)}`

const ageText = (seconds: number | null): string => (seconds === null ? none : duration(seconds))
