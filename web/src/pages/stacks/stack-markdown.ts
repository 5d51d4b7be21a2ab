import type { StackAnswer } from '@probe-mesh/contracts/outage/answers'
import { standing } from '../../html/answer-words.ts'
import { askedOf, evidenceMarkdown, instantText } from '../evidence-markdown.ts'
import { leastShown } from './stack-page.ts'
import { markdownLine } from '../status/markdown.ts'

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
