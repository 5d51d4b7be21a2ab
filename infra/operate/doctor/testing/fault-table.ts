/** The result of one fault. */
export type Proved = {
  planted: string
  foundAs: string
  next: string
  foundAfterMs: number
  mendedAfterMs: number
}

const [begin, end] = ['<!-- faults: written by the suite -->', '<!-- end of faults -->']

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** The results as Markdown. */
export const faultTable = (rows: readonly Proved[]): string =>
  [
    '| fault | finding | remedy |',
    '| --- | --- | --- |',
    ...rows.map(({ planted, foundAs, next }) => `| ${[planted, foundAs, next].map(cell).join(' | ')} |`),
    '',
    `Found within ${slowest(rows, 'foundAfterMs')}, and gone within ${slowest(rows, 'mendedAfterMs')} of the remedy.`,
  ].join('\n')

const slowest = (rows: readonly Proved[], of: 'foundAfterMs' | 'mendedAfterMs'): string =>
  seconds(Math.max(...rows.map((row) => row[of])))

/** Replaces the table in a document. @throws Error for a document without one */
export const withFaultTable = (document: string, rows: readonly Proved[]): string => {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error('the document has no place for the table')
  return `${document.slice(0, from + begin.length)}\n\n${faultTable(rows)}\n\n${document.slice(to)}`
}

/** The faults in a document's table, in order. */
export const plantedIn = (document: string): string[] => {
  const table = document.slice(document.indexOf(begin), document.indexOf(end))
  return [...table.matchAll(/^\| (?<planted>[^|]+) \|/gm)]
    .map(({ groups }) => groups?.['planted'] ?? '')
    .slice(2)
}
