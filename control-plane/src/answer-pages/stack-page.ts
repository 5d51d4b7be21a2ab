import type { StackAnswer } from '@probe-mesh/contracts/answers'
import { framePage } from './frame.ts'
import { howRead } from './how-read.ts'
import { markup } from './markup.ts'
import { named, time } from './measures.ts'
import { table } from './table.ts'
import { lead, statusWords, tag } from './tag.ts'

/** A stack: the plate level of each member, and how many are down or degraded. */
export const stackPage = (answer: StackAnswer): string => {
  const { stack, services } = answer
  return framePage({
    title: stack.name,
    description: answer.summary,
    url: answer.url,
    json: `/v1/public/stacks/${encodeURIComponent(stack.slug)}`,
    main: markup`<h1>${named(stack.name)}</h1>
${lead(statusWords[answer.status], answer.summary)}
<section aria-labelledby="members">
<h2 id="members">Services</h2>
${table(
  'Services of this stack',
  [
    {
      heading: 'Service',
      cell: ({ slug, name }) =>
        markup`<a href="/services/${encodeURIComponent(slug)}">${named(name)}</a>`,
    },
    { heading: 'Status', cell: ({ level }) => tag(statusWords[level]) },
    { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
  ],
  services,
)}
</section>
${howRead(answer)}`,
  })
}
