import type { Asked } from '@probe-mesh/contracts/outage/answers'
import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import { flag, html, type Html } from '@probe-mesh/runtime/html'

/** What a good reading of a probe shows, for every page and its Markdown. */
export const gradeWords: Readonly<Record<ProbeGrade, string>> = {
  works: 'works: a good answer has the content that its vendor documents',
  answers: 'answers: it responds, which does not show that all of it works',
  edge: 'a file at the edge: it says little about the service',
}

/** `and 248 more` */
export const moreAsked = ({ probes, probeCount }: Asked): string | null =>
  probeCount > probes.length
    ? `and ${probeCount - probes.length} more; those that show least come first`
    : null

/** `Asked: https://api.acme.example/v1 https://acme.example/` */
export const askedTitle = ({ probes }: { probes: readonly GradedProbe[] }): string =>
  `Asked: ${probes.map(({ url }) => url).join(' ') || 'nothing'}`

/** Longer lists are collapsed. */
const openMax = 4

/** The probed addresses of an answer, with what each shows; null without addresses. */
export const askedList = (asked: Asked): Html | null => {
  const { probes, probeCount } = asked
  if (probes.length === 0) return null
  return html`<details class="asked" ${flag('open', probeCount <= openMax)}>
    <summary>
      ${probeCount === 1 ? 'The address that was asked' : `${probeCount} addresses that were asked`}
    </summary>
    <ul>
      ${probes.map(
        ({ url, grade }) =>
          html`<li><code>${url}</code> <span class="muted">${gradeWords[grade]}</span></li> `,
      )}
      ${moreAsked(asked) !== null && html`<li>${moreAsked(asked)}</li>`}
    </ul>
  </details>`
}
