import type { Evidence } from '@probe-mesh/contracts/answers'
import { freshnessText, vantageWords } from '../../html/how-read.ts'
import { markdownLine } from '../status/markdown.ts'

/** An answer as Markdown: its verdict, its sentence, what follows, and what all of it stands on. */
export const answerMarkdown = (
  answer: Evidence & { url: string; summary: string },
  page: { title: string; verdict: string; parts: readonly string[] },
): string =>
  [
    `# ${page.title}`,
    `**${page.verdict}**: ${markdownLine(answer.summary)}`,
    ...page.parts,
    '## How this was read',
    [
      `- Regions read: ${answer.regionsRead.join(', ') || 'none'}`,
      `- Measured: ${answer.measuredAt === null ? 'never' : instantText(answer.measuredAt)}`,
      `- Freshness: ${freshnessText(answer.freshness)}`,
      `- Measured from: ${vantageWords[answer.vantage]}`,
      `- Source: <${answer.url}>`,
    ].join('\n'),
  ].join('\n\n') + '\n'

/** `2026-11-20 12:00:05 UTC` */
export const instantText = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`

/** A table; what stands in its cells is one line without a `|`, as `markdownLine` makes it. */
export const markdownTable = (
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string =>
  [headings, headings.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
