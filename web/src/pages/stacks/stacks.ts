import { answerPage } from '../../html/answer-page.ts'
import { named, time } from '../../html/measures.ts'
import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { refused } from '../outcome.ts'
import type { PublicRoute } from '../public-route.ts'
import { asMarkdown } from '../as-markdown.ts'
import type { StackAnswer } from '@probe-mesh/contracts/outage/answers'
import { standing, lead } from '../../html/answer-words.ts'
import { askedOf, evidenceMarkdown, instantText } from '../evidence-markdown.ts'
import { markdownLine } from '../../html/markdown.ts'
import { probeGrades } from '@probe-mesh/contracts/outage/catalog-grade'
import type { ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import { askedCell } from '../../html/asked-words.ts'
import { howRead } from '../../html/how-read.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { linkOf } from '../services/services-page.ts'

/** What the good readings of every member show. */
const leastShown = ({ services }: StackAnswer): ProbeGrade | null =>
  probeGrades.find((grade) => services.some(({ shows }) => shows === grade)) ?? null

/** A stack: the plate level of each member, and how many are down or degraded. */
export const stackMain = (answer: StackAnswer): Html =>
  html`${lead(standing(answer.status, leastShown(answer)), answer.summary)}
    <section aria-labelledby="members">
      <h2 id="members">Services</h2>
      ${table(
        'Services of this stack',
        [
          { heading: 'Service', cell: linkOf },
          { heading: 'Status', cell: ({ level, shows }) => tag(standing(level, shows)) },
          { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
          { heading: 'Asked', cell: askedCell },
        ],
        answer.services,
      )}
    </section>
    ${howRead(answer)}`

/** A stack as Markdown: the same as its page. */
export const stackMarkdown = (answer: StackAnswer): string => {
  const { stack, status, summary, url, services } = answer
  const lines = services.map(
    ({ name, slug, level, shows, measuredAt, probes }) =>
      `- [${markdownLine(name)}](/services/${encodeURIComponent(slug)}.md): ${standing(level, shows).text}, ${
        measuredAt === null ? 'never measured' : `measured ${instantText(measuredAt)}`
      }; asked: ${askedOf({ probes })}`,
  )
  const parts = [
    `# ${markdownLine(stack.name)}`,
    `**${standing(status, leastShown(answer)).text}**: ${markdownLine(summary)}`,
    evidenceMarkdown(answer),
    `Source: <${url}>`,
    '## Services',
    lines.join('\n'),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Services that are commonly used together, by the slug of their stack or its id. */
export const stackRoutes: readonly PublicRoute[] = [
  {
    path: '/stacks/:slug',
    serve: async ({ params, askPublic, assets }) => {
      const answer = await askPublic('getStack', { params: { idOrSlug: params['slug'] ?? '' } })
      if (!answer.ok) return refused(answer)
      const { stack, summary, url } = answer.value
      const slug = encodeURIComponent(stack.slug)
      return shown(
        answerPage(assets, {
          title: stack.name,
          heading: named(stack.name),
          description: summary,
          area: 'services',
          url,
          forms: { json: `/v1/public/stacks/${slug}`, markdown: `/stacks/${slug}.md` },
          main: stackMain(answer.value),
        }),
      )
    },
  },
  {
    path: asMarkdown('/stacks/:slug'),
    serve: async ({ params, askPublic }) => {
      const answer = await askPublic('getStack', { params: { idOrSlug: params['slug'] ?? '' } })
      return answer.ok ? shownAsMarkdown(stackMarkdown(answer.value)) : refused(answer)
    },
  },
]
