import type { FactorKind, InternetAnswer, SharedIncident } from '@probe-mesh/contracts/answers'
import { framePage } from './frame.ts'
import { howRead } from './how-read.ts'
import { markup, nothing } from './markup.ts'
import type { Markup } from './markup.ts'
import { named, time } from './measures.ts'
import { table } from './table.ts'
import { internetWords, lead } from './tag.ts'

/** Whether something that many services share is down, with the outages that say so. */
export const internetPage = (answer: InternetAnswer): string =>
  framePage({
    title: 'Is the internet down?',
    description: answer.summary,
    url: answer.url,
    json: '/v1/public/internet',
    main: markup`<h1>Is the internet down?</h1>
${lead(internetWords[answer.status], answer.summary)}
${answer.sharedIncident === null ? nothing : incidentSection(answer.sharedIncident)}
${howRead(answer)}`,
  })

const factorNames: Readonly<Record<FactorKind, string>> = {
  cdn: 'CDN',
  cloud_region: 'Cloud region',
  dns: 'DNS provider',
}

const incidentSection = (incident: SharedIncident): Markup => {
  const { factor, members, measuredCount, regions, since, confidence } = incident
  return markup`<section aria-labelledby="incident">
<h2 id="incident">What it is inferred from</h2>
<dl>
<dt>${factorNames[factor.kind]}</dt><dd>${named(factor.name)}</dd>
<dt>Since</dt><dd>${time(since)}</dd>
<dt>Failed there</dt><dd>${members.length} of ${measuredCount} services measured</dd>
<dt>Seen from</dt><dd>${regions.length === 0 ? 'none' : regions.join(', ')}</dd>
<dt>Confidence</dt><dd>${confidenceText(confidence)}</dd>
</dl>
${table(
  'Services whose outages are the evidence',
  [
    {
      heading: 'Service',
      cell: ({ slug, name }) =>
        markup`<a href="/services/${encodeURIComponent(slug)}">${named(name)}</a>`,
    },
    { heading: 'Failing since', cell: (member) => time(member.since) },
  ],
  members,
)}
<p class="muted">This is about what these services share; how each of them stands is on its own page.</p>
</section>`
}

/** Never rounded up to certainty. */
const confidenceText = (confidence: number): string =>
  confidence > 0.999 ? 'more than 99.9 %' : `${(Math.floor(confidence * 1000) / 10).toFixed(1)} %`
