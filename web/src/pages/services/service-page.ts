import type { NamedService, ReportReceipt } from '@probe-mesh/contracts/outage/answers'
import type { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { lead, serviceWords, standing } from '../../html/answer-words.ts'
import { askedList } from '../../html/asked-words.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { howRead, vantageWords } from '../../html/how-read.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, time } from '../../html/measures.ts'
import { categoryName } from './category-names.ts'
import { outageSection } from './outage-section.ts'
import { regionTable } from './region-table.ts'
import { reportSection } from './report-section.ts'
import { historySections } from './service-history.ts'

/** One service of the catalog: how it stands, where, since when, and what people say. */
export const serviceMain = (
  service: NamedService,
  answer: ServicePageAnswer,
  form: FormState = emptyForm,
): Html => {
  const { status, shows, summary, measuredAt, regionsRead, freshness, vantage } = answer
  return html`${lead(standing(status, shows), summary)}
    <p class="muted">
      ${
        measuredAt === null
          ? 'Nothing was measured yet.'
          : html`Measured ${time(measuredAt)}, ${freshness.verdict}, from
            ${regionsRead.length === 0 ? 'no region that still counts' : regionsRead.join(', ')}.`
      }
      Measured from ${vantageWords[vantage]}.
    </p>
    <section aria-labelledby="regions">
      <h2 id="regions">Regions</h2>
      ${regionTable(answer.regions)}
    </section>
    ${historySections(answer.history, answer.incidents ?? [])} ${outageSection(answer)}
    ${reportSection(service, answer, form)} ${aboutSection(answer)} ${howRead(answer)}`
}

const aboutSection = ({ category, vendorStatusUrl }: ServicePageAnswer): Html =>
  html`<section aria-labelledby="about">
    <h2 id="about">About this service</h2>
    <dl>
      ${
        category !== null &&
        html`<dt>Category</dt>
          <dd>
            <a href="/services?category=${encodeURIComponent(category)}">${categoryName(category)}</a>
          </dd>`
      }
      <dt>The vendor's own status page</dt>
      <dd>
        ${
          vendorStatusUrl === null
            ? 'not known'
            : html`<a href="${vendorStatusUrl}" rel="noopener nofollow">${vendorStatusUrl}</a>`
        }
      </dd>
    </dl>
  </section>`

/** A service outside the catalog is `not_covered` (S-1205). */
export const uncoveredMain = ({
  summary,
  didYouMean,
}: {
  summary: string
  didYouMean: readonly string[]
}): Html =>
  html`${lead(serviceWords.not_covered, summary)}
    <p>
      Only what our own probes measure has an answer. This is not in the catalog, so nothing is said of it:
      neither that it is up nor that it is down.
    </p>
    ${
      didYouMean.length > 0 &&
      html`<h2>Did you mean</h2>
        <ul>
          ${didYouMean.map(
            (slug) => html`<li><a href="/services/${encodeURIComponent(slug)}">${slug}</a></li> `,
          )}
        </ul>`
    }
    <p><a href="/services">Every service that we measure</a></p>`

/** What a receipt is about, in one line. */
export const receiptTitle = ({ counted }: Pick<ReportReceipt, 'counted'>): string =>
  counted ? 'Your report was counted' : 'Your report was not counted'

/** What became of a report that the form sent. */
export const receiptMain = (service: NamedService, answer: ReportReceipt): Html => {
  const { counted, summary } = answer
  const reason = counted
    ? 'Thank you. The next one from your address on this service counts in a quarter of an hour.'
    : 'One report from the same address on the same service counts in a quarter of an hour, and one was counted already or no more can be taken now.'
  return html`<p>${reason}</p>
    <p class="lead">${summary}</p>
    ${askedList(answer)}
    <p>
      <a href="/services/${encodeURIComponent(service.slug)}">Back to ${named(service.name)}</a>
    </p>`
}
