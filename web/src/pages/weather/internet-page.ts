import type { InternetAnswer, SharedIncident, VendorOutage } from '@probe-mesh/contracts/outage/answers'
import { answerPage } from '../../html/answer-page.ts'
import { lead } from '../../html/answer-words.ts'
import type { Assets } from '../../html/document.ts'
import { askedCell } from '../../html/asked-words.ts'
import { howRead } from '../../html/how-read.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { confidenceText, factorNames, factorText } from './incident-words.ts'
import { internetWords } from './weather-words.ts'
import { asMarkdown } from '../as-markdown.ts'

/** Whether something that many services share is down, with the outages that say so. */
export const internetPage = (assets: Assets, answer: InternetAnswer): string =>
  answerPage(assets, {
    title: 'Is the internet down?',
    description: answer.summary,
    area: 'internet',
    url: answer.url,
    forms: { json: '/v1/public/internet', markdown: asMarkdown('/internet') },
    main: html`${lead(internetWords[answer.status], answer.summary)}
      ${answer.sharedIncident !== null && incidentSection(answer.sharedIncident)}
      ${answer.vendorOutage !== null && vendorSection(answer.vendorOutage)} ${howRead(answer)}
      <p class="muted">
        This is about what services share (a CDN, a cloud region, a DNS provider), inferred from their
        outages. How each of them stands is on its own page.
      </p>
      <ul>
        <li><a href="/services">Every service that is measured</a></li>
        <li><a href="/weather">How fast the internet is, by region</a></li>
      </ul>`,
  })

const incidentSection = (incident: SharedIncident): Html => {
  const { factor, members, measuredCount, regions, since, confidence } = incident
  return html`<section aria-labelledby="incident">
    <h2 id="incident">What it is inferred from</h2>
    <dl>
      <dt>${factorNames[factor.kind]}</dt>
      <dd>${named(factorText(factor))}</dd>
      <dt>Since</dt>
      <dd>${time(since)}</dd>
      <dt>Failed there</dt>
      <dd>${members.length} of ${measuredCount} services measured</dd>
      <dt>Seen from</dt>
      <dd>${regions.length === 0 ? 'none' : regions.join(', ')}</dd>
      <dt>Confidence</dt>
      <dd>${confidenceText(confidence)}</dd>
    </dl>
    <p class="muted">
      Confidence is how often such a conclusion was right in simulated years of this catalog.
    </p>
    ${membersTable('Services whose outages are the evidence', members)}
  </section>`
}

const vendorSection = (outage: VendorOutage): Html => {
  const { vendor, members, measuredCount, regions, since } = outage
  return html`<section aria-labelledby="vendor">
    <h2 id="vendor">One vendor's services fail together</h2>
    <dl>
      <dt>Vendor</dt>
      <dd>${named(vendor)}</dd>
      <dt>Since</dt>
      <dd>${time(since)}</dd>
      <dt>Of its services fail</dt>
      <dd>${members.length} of ${measuredCount} measured</dd>
      <dt>Seen from</dt>
      <dd>${regions.length === 0 ? 'none' : regions.join(', ')}</dd>
    </dl>
    ${membersTable('Services of the vendor that fail', members)}
  </section>`
}

const membersTable = (caption: string, members: SharedIncident['members']): Html =>
  table(
    caption,
    [
      {
        heading: 'Service',
        cell: ({ slug, name }) => html`<a href="/services/${encodeURIComponent(slug)}">${named(name)}</a>`,
      },
      { heading: 'Failing since', cell: (member) => time(member.since) },
      { heading: 'Asked', cell: askedCell },
    ],
    members,
  )
