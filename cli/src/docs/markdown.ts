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

/** Rows as a table. Their cells are Markdown already. */
export const table = (rows: readonly (readonly string[])[]): string[] => {
  const [head = [], ...body] = rows
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`)
}
