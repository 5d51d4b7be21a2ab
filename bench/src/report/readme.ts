import { readFile, writeFile } from 'node:fs/promises'
import { readNewestRuns } from '../harness/results.ts'
import { growthTable, headlineTable } from './readme-tables.ts'

const file = new URL('../../README.md', import.meta.url)

/** `bench/README.md` as it is, and as it follows from the newest results. */
export const deriveReadme = async (): Promise<{ written: string; derived: string }> => {
  const histories = await readNewestRuns()
  const written = await readFile(file, 'utf8')
  const tables = { headlines: headlineTable(histories), growth: growthTable(histories) }
  return { written, derived: withTables(written, tables) }
}

/** @returns whether anything changed */
export const writeReadme = async (): Promise<boolean> => {
  const { written, derived } = await deriveReadme()
  if (derived !== written) await writeFile(file, derived)
  return derived !== written
}

const beginOf = (name: string): string => `<!-- derived: ${name} -->`
const end = '<!-- end -->'

/**
 * Replaces the tables of a document.
 * @param tables by the names of their places
 * @throws Error where a table has no place
 */
export const withTables = (text: string, tables: Readonly<Record<string, string>>): string =>
  Object.entries(tables).reduce((document, [name, table]) => {
    const from = document.indexOf(beginOf(name))
    const until = document.indexOf(end, from)
    if (from < 0 || until < 0) throw new Error(`the document has no place for ${name}`)
    const head = document.slice(0, from + beginOf(name).length)
    return `${head}\n\n${table}\n\n${document.slice(until)}`
  }, text)
