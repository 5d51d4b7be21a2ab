import type { Asked, Evidence } from '@probe-mesh/contracts/outage/answers'
import { evidenceMarkdown } from '../evidence-markdown.ts'
import { markdownLine } from '../../html/markdown.ts'

/** An answer as Markdown: verdict, sentence, details, and evidence. */
export const answerMarkdown = (
  answer: Evidence & Asked & { url: string; summary: string },
  page: { title: string; verdict: string; parts: readonly string[] },
): string =>
  [
    `# ${page.title}`,
    `**${page.verdict}**: ${markdownLine(answer.summary)}`,
    ...page.parts,
    evidenceMarkdown(answer),
    `Source: <${answer.url}>`,
  ].join('\n\n') + '\n'

/** A table; each cell is one line without a `|`, as `markdownLine` makes it. */
export const markdownTable = (
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string =>
  [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
