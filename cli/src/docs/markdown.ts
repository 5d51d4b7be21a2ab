import { widthOf } from '../file/display.ts'

/** Plain text as Markdown shows it; in a table or outside of one. */
export const prose = (text: string): string =>
  text
    .replaceAll(/[\\*`|[\]]/g, '\\$&')
    .replaceAll(/(?<!\w)_|_(?!\w)/g, '\\_')
    .replaceAll('<', '&lt;')

/** Text that is shown as it is typed, in a table too. It holds no backtick and one line. */
export const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

export const fenced = (language: string, text: string): string[] => [
  `\`\`\`${language}`,
  ...text.trimEnd().split('\n'),
  '```',
]

/** Rows as a table, padded as the formatter of the repository leaves it. */
export const table = (rows: readonly (readonly string[])[]): string[] => {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))))
  const line = (cells: readonly string[]): string => {
    const padded = cells.map(
      (cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
    )
    return `| ${padded.join(' | ')} |`
  }
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(head), rule, ...rows.slice(1).map(line)]
}
