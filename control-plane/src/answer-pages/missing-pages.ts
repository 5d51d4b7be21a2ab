import type { ServiceStatusAnswer } from '@probe-mesh/contracts/answers'
import { framePage } from './frame.ts'
import { markup, nothing } from './markup.ts'
import { lead, statusWords } from './tag.ts'

/** "A service outside the catalog answers `not_covered` and never a guess" (specification). */
export const uncoveredPage = ({
  summary,
  didYouMean,
}: Pick<ServiceStatusAnswer, 'summary' | 'didYouMean'>): string =>
  framePage({
    title: 'This service is not covered',
    description: summary,
    main: markup`<h1>This service is not covered</h1>
${lead(statusWords.not_covered, summary)}
${
  didYouMean.length === 0
    ? nothing
    : markup`<h2>Did you mean</h2>
<ul>
${didYouMean.map(
  (slug) => markup`<li><a href="/services/${encodeURIComponent(slug)}">${slug}</a></li>`,
)}
</ul>`
}
<p><a href="/services">Every service that we measure</a></p>`,
  })

/** A page that says no and why. @param details a sentence each */
export const refusalPage = (
  heading: string,
  text: string,
  details: readonly string[] = [],
): string =>
  framePage({
    title: heading,
    description: text,
    main: markup`<h1>${heading}</h1>
<p class="lead">${text}</p>
${
  details.length === 0
    ? nothing
    : markup`<ul>
${details.map((detail) => markup`<li>${detail}</li>`)}
</ul>`
}
<p><a href="/services">Every service that we measure</a></p>`,
  })
