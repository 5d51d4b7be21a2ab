import type { Asked } from '@probe-mesh/contracts/outage/answers'
import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** What a good answer of a probe shows, as every page and its Markdown say it. */
export const gradeWords: Readonly<Record<ProbeGrade, string>> = {
  works: 'works: a good answer holds what its vendor documents',
  answers: 'answers: that more than this works is not shown',
  edge: 'a file at the edge: it says little of the service',
}

/** `and 248 more` */
export const moreAsked = ({ probes, probeCount }: Asked): string | null =>
  probeCount > probes.length
    ? `and ${probeCount - probes.length} more; those that show least come first`
    : null

/** The addresses that were asked of one service of several, in a cell. */
export const askedCell = ({ probes }: { probes: readonly GradedProbe[] }): Html =>
  html`${probes.map(({ url }, index) => html`${index > 0 && html`<br />`}<code>${url}</code>`)}`

/** More than this are folded away on a page. */
const shownMax = 4

/** The addresses that an answer stands on, with what each shows; nothing where nothing is asked. */
export const askedList = (asked: Asked): Html | null => {
  const { probes, probeCount } = asked
  if (probes.length === 0) return null
  const list = html`<ul>
    ${probes.map(({ url, grade }) => html`<li><code>${url}</code> (${gradeWords[grade]})</li> `)}
    ${moreAsked(asked) !== null && html`<li>${moreAsked(asked)}</li>`}
  </ul>`
  return html`<section aria-labelledby="asked">
    <h2 id="asked">What was asked</h2>
    ${
      probeCount <= shownMax
        ? list
        : html`<details>
            <summary>${probeCount} addresses</summary>
            ${list}
          </details>`
    }
  </section>`
}
