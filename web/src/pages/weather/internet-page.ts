import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import type { InternetAnswer, SharedIncident, VendorOutage } from '@probe-mesh/contracts/outage/internet'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { answerPage } from '../../html/answer-page.ts'
import { withoutInstant } from '../../html/answer-words.ts'
import { card, facts } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { tag } from '../../html/components/tag.ts'
import type { Assets } from '../../html/document.ts'
import { evidenceChips, howRead } from '../../html/how-read.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { exactTime, named } from '../../html/measures.ts'
import { asMarkdown } from '../as-markdown.ts'
import { causeTree, factorGraph } from './factor-graph.ts'
import { confidenceText, factorNames, factorText } from './incident-words.ts'
import { internetWords } from './weather-words.ts'

/**
 * Whether infrastructure of many services is down, with the outages as evidence. @param services the catalog,
 * for what is shared
 */
export const internetPage = (
  assets: Assets,
  answer: InternetAnswer,
  services: CatalogAnswer['services'],
): string => {
  const words = internetWords[answer.status]
  return answerPage(assets, {
    title: 'Is the internet down?',
    linkTitle: `Is the internet down? ${words.text.charAt(0).toUpperCase()}${words.text.slice(1)}`,
    state: tag(words),
    about: withoutInstant(answer.summary),
    description: answer.summary,
    area: 'internet',
    url: answer.url,
    forms: { json: '/v1/public/internet', markdown: asMarkdown('/internet') },
    evidence: answer,
    isBad: words.tone === 'bad',
    main: html`${evidenceChips(answer)}
    ${answer.sharedIncident !== null && incidentCard(answer.sharedIncident)}
    ${answer.vendorOutage !== null && vendorCard(answer.vendorOutage)} ${factorGraph(services)}
    ${howRead(
      answer,
      html`This is about what services share: a CDN, a cloud region, a DNS provider. It is inferred from their
        outages. See also <a href="/services">each service</a> and
        <a href="/weather">how fast the internet is</a>.`,
    )}`,
  })
}

const regionsOf = (regions: readonly Region[]): Piece =>
  regions.length === 0
    ? 'none'
    : html`<span class="region-list">${regions.map((region) => html`${regionLabel(region)} `)}</span>`

const incidentCard = (incident: SharedIncident): Html => {
  const { factor, members, measuredCount, regions, since, confidence } = incident
  return card(
    { id: 'incident', title: 'Shared outage', about: html`since ${exactTime(since)}` },
    html`${causeTree({ kind: factorNames[factor.kind], name: factorText(factor) }, members)}
      ${facts([
        [factorNames[factor.kind], named(factorText(factor))],
        ['Failed', `${members.length} of ${measuredCount} measured services`],
        ['Seen from', regionsOf(regions)],
        ['Confidence', confidenceText(confidence)],
      ])}
      <p class="muted small-print">
        Confidence is how often such a conclusion was right in simulated years of this catalog.
      </p>`,
  )
}

const vendorCard = (outage: VendorOutage): Html => {
  const { vendor, members, measuredCount, regions, since } = outage
  return card(
    { id: 'vendor', title: 'One vendor fails', about: html`since ${exactTime(since)}` },
    html`${causeTree({ kind: 'Vendor', name: vendor }, members)}
    ${facts([
      ['Vendor', named(vendor)],
      ['Failing', `${members.length} of ${measuredCount} measured services`],
      ['Seen from', regionsOf(regions)],
    ])}`,
  )
}
