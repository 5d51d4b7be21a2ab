const widthsOf = (rows: readonly (readonly string[])[]): number[] =>
  Array.from({ length: Math.max(0, ...rows.map((row) => row.length)) }, (_, column) =>
    Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)),
  )

/** A table for a terminal. @param right the columns that are aligned on the right */
export const textTable = (rows: readonly (readonly string[])[], right: readonly number[] = []): string => {
  const widths = widthsOf(rows)
  const cellAt = (cell: string, column: number): string =>
    right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(cellAt).join('  ').trimEnd()).join('\n')
}

/** A Markdown table. The first row is the header. Cells have no padding, so a longer cell changes one line. */
export const markdownTable = (rows: readonly (readonly string[])[]): string => {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
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
