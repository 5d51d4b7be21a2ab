import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import { levelWords, standing } from '../../html/answer-words.ts'
import { markdownLine } from '../../html/markdown.ts'
import { askedOf, evidenceMarkdown, instantText } from '../evidence-markdown.ts'
import type { Part } from '../paging.ts'
import { countsOf, groupsOf, queryOfChoice, type ListChoice, type Listed } from './service-list.ts'

/** One part of the catalog as Markdown: the same as the page, in the same order. */
export const servicesMarkdown = (
  answer: CatalogAnswer,
  { choice, part }: { choice: ListChoice; part: Part<Listed> },
): string => {
  const query = queryOfChoice(choice)
  const isAll = Object.keys(query).length === 0
  const next = new URLSearchParams({ ...query, page: String(part.number + 1) })
  const counts = countsOf(answer.services).map(({ level, count }) => `${count} ${levelWords(level).text}`)
  const parts = [
    '# Services that we measure',
    `**${markdownLine(answer.summary)}**`,
    `Of ${answer.services.length} services: ${counts.join(', ') || 'none'}. Source: <${answer.url}>`,
    evidenceMarkdown(answer),
    !isAll && `Services like ${markdownLine(JSON.stringify(query))}: ${part.total}.`,
    ...groupsOf(part.rows).map(({ heading, services }) =>
      [`## ${markdownLine(heading)}`, services.map((one) => lineOf(one, answer.url)).join('\n')].join('\n\n'),
    ),
    part.last > 1 && `Part ${part.number} of ${part.last}, ${part.total} services in all.`,
    part.number < part.last && `Next: <${answer.url}.md?${next.toString()}>`,
    isAll &&
      part.number === 1 &&
      answer.stacks.length > 0 &&
      [
        '## Stacks',
        answer.stacks
          .map(({ name, slug }) => `- ${markdownLine(name)}: </stacks/${encodeURIComponent(slug)}.md>`)
          .join('\n'),
      ].join('\n\n'),
  ]
  return `${parts.filter((part) => part !== false).join('\n\n')}\n`
}

const lineOf = ({ name, slug, level, shows, measuredAt, probes }: Listed, url: string): string =>
  `- ${markdownLine(name)}: ${standing(level, shows).text}, ${
    measuredAt === null ? 'never measured' : `measured ${instantText(measuredAt)}`
  } <${url}/${encodeURIComponent(slug)}.md>; asked: ${askedOf({ probes })}`
