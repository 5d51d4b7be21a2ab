const widthsOf = (rows: readonly (readonly string[])[], least: number): number[] =>
  Array.from({ length: Math.max(0, ...rows.map((row) => row.length)) }, (_, column) =>
    Math.max(least, ...rows.map((row) => row[column]?.length ?? 0)),
  )

/** A table for a terminal. @param right the columns that are aligned on the right */
export const textTable = (rows: readonly (readonly string[])[], right: readonly number[] = []): string => {
  const widths = widthsOf(rows, 0)
  const cellAt = (cell: string, column: number): string =>
    right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(cellAt).join('  ').trimEnd()).join('\n')
}

/** A Markdown table, aligned as the formatter writes it. The first row is the header. */
export const markdownTable = (rows: readonly (readonly string[])[]): string => {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = widthsOf([head, ...body], 3)
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map(line).join('\n')
}

/** JSON with one line for each record: an object without arrays of objects. */
export const jsonRows = (value: unknown, indent = ''): string => {
  if (!hasRecords(value)) return JSON.stringify(value)
  const inner = `${indent} `
  const parts = Array.isArray(value)
    ? value.map((part) => jsonRows(part, inner))
    : Object.entries(value)
        .filter(([, part]) => part !== undefined)
        .map(([key, part]) => `${JSON.stringify(key)}: ${jsonRows(part, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const hasRecords = (value: unknown): value is object =>
  Array.isArray(value) ? value.some(isObject) : isObject(value) && Object.values(value).some(hasRecords)
