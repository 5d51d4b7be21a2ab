import { widthOf } from '../file/text-width.ts'

/** Plain text as Markdown, inside or outside a table. */
export const prose = (text: string): string =>
  text
    .replaceAll(/[\\*`|[\]]/g, '\\$&')
    .replaceAll(/(?<!\w)_|_(?!\w)/g, '\\_')
    .replaceAll('<', '&lt;')

/** Text shown as typed, also in a table. It must be one line without backticks. */
export const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

export const fenced = (language: string, text: string): string[] => [
  `\`\`\`${language}`,
  ...text.trimEnd().split('\n'),
  '```',
]

/** Rows as a table, padded like the repository's formatter does. */
export const table = (rows: readonly (readonly string[])[]): string[] => {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))))
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
    return `| ${padded.join(' | ')} |`
  }
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(head), rule, ...rows.slice(1).map(line)]
}
