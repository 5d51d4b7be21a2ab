/** A table in Markdown, aligned like the formatter does. */
export const tableOf = (
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string => {
  const lines = rows.map((cells) => cells.map(String))
  const widths = heading.map((_, column) =>
    Math.max(3, ...[heading, ...lines].map((cells) => cells[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...lines.map(line)].join('\n')
}
