import type { NamedService } from '@probe-mesh/contracts/outage/answers'
import type { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { predicate, standing, withoutInstant } from '../../html/answer-words.ts'
import { card, emptyState, facts } from '../../html/components/card.ts'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { logo } from '../../html/components/logo.ts'
import { evidenceChips, howRead } from '../../html/how-read.ts'
import { serviceSearch } from '../../html/service-search.ts'
import { servicePath } from '../../html/service-tile.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { categoryName } from './category-names.ts'
import { outageSection } from './outage-section.ts'
import { regionCards } from './region-cards.ts'
import { reportSection } from './report-section.ts'
import { historySections } from './service-history.ts'

/** One service of the catalog: status, regions, history, and reports of people. */
export const serviceMain = (
  service: NamedService,
  answer: ServicePageAnswer,
  form: FormState = emptyForm,
): Html =>
  html`${answerCard(service, answer)}
    ${card({ id: 'regions', title: 'Regions' }, regionCards(answer.regions))}
    ${historySections(answer.history, answer.incidents ?? [])}
    <div class="cards">${outageSection(answer)} ${reportSection(service, answer, form)}</div>
    <div class="cards">${aboutSection(answer)} ${howRead(answer)}</div>`

/** The answer in a form that can be cited. */
const answerCard = (service: NamedService, answer: ServicePageAnswer): Html => {
  const words = standing(answer.status, answer.shows)
  return html`<section class="card answer answer-${words.tone}" aria-labelledby="answer">
    ${logo(service)}
    <div>
      <h1 id="answer">${named(service.name)} <span class="${words.tone}">${predicate(words)}</span></h1>
      ${evidenceChips(answer, answer.regions.length)}
      <p class="lead">${withoutInstant(answer.summary)}</p>
    </div>
    <p class="answer-acts">
      <a class="button small" href="#reports">${icon('alert')}Report a problem</a>
    </p>
    <details class="cite">
      <summary>Cite this answer</summary>
      <pre data-copy="citation">${citation(answer)}</pre>
    </details>
  </section>`
}

/** `GitHub is up in 4 of 4 regions, measured 2026-11-20 12:00 UTC. Probe Mesh, https://…/services/github` */
const citation = ({ summary, url }: Pick<ServicePageAnswer, 'summary' | 'url'>): string =>
  `${summary.trim()} Probe Mesh, ${url}`

const aboutSection = ({ category, vendorStatusUrl }: ServicePageAnswer): Html =>
  card(
    { id: 'about', title: 'About this service' },
    facts([
      [
        'Category',
        category !== null &&
          html`<a href="/services?category=${encodeURIComponent(category)}">${categoryName(category)}</a>`,
      ],
      [
        "Vendor's status page",
        vendorStatusUrl === null
          ? 'not known'
          : html`<a href="${vendorStatusUrl}" rel="noopener nofollow">${vendorStatusUrl}</a>`,
      ],
    ]),
  )

/** A service outside the catalog is `not_covered` (S-1205). */
export const uncoveredMain = ({
  summary,
  didYouMean,
}: {
  summary: string
  didYouMean: readonly string[]
}): Html =>
  html`${emptyState({
      icon: 'search',
      title: summary,
      text: 'Only services in the catalog are measured. Nothing is known about this one: neither that it is up nor that it is down.',
    })}
    ${
      didYouMean.length > 0 &&
      html`<h2>Did you mean</h2>
        <ul>
          ${didYouMean.map((slug) => html`<li><a href="${servicePath(slug)}">${slug}</a></li> `)}
        </ul>`
    }
    ${serviceSearch({ in: 'list' })}
    <p class="actions"><a class="button" href="/services">Show all services</a></p>`
