import { readFile, writeFile } from 'node:fs/promises'
import type { Result } from '../results.ts'
import { costsOf, simulatedOf } from './costs.ts'
import { tablesOf } from './tables.ts'

const file = new URL('../../../docs/scale.md', import.meta.url)
const results = new URL('../../results/', import.meta.url)

const beginOf = (name: string): string => `<!-- derived: ${name} -->`
const end = '<!-- end -->'

/**
 * The document with its tables as they follow from what was measured.
 * @throws Error that names a table without a place
 */
export const withTables = (text: string, tables: Readonly<Record<string, string>>): string =>
  Object.entries(tables).reduce((document, [name, table]) => {
    const from = document.indexOf(beginOf(name))
    const until = document.indexOf(end, from)
    if (from < 0 || until < 0) throw new Error(`docs/scale.md has no place for ${name}`)
    const head = document.slice(0, from + beginOf(name).length)
    return `${head}\n\n${table}\n\n${document.slice(until)}`
  }, text)

/** As `results.ts` writes it. */
const historyOf = async (bench: string): Promise<Result[]> =>
  JSON.parse(await readFile(new URL(`${bench}.json`, results), 'utf8')) as Result[]

/** What `docs/scale.md` should be, and is. */
export const scaleDocument = async (): Promise<{ derived: string; written: string }> => {
  const names = ['mesh', 'probe', 'scale', 'size']
  const histories = await Promise.all(
    names.map(async (name) => [name, await historyOf(name)] as const),
  )
  const written = await readFile(file, 'utf8')
  const all = Object.fromEntries(histories)
  const tables = tablesOf(costsOf(all), simulatedOf(all))
  return { derived: withTables(written, tables), written }
}

/** Writes the tables of `docs/scale.md` anew from the newest results. */
export const writeScaleDocument = async (): Promise<void> => {
  const { derived } = await scaleDocument()
  await writeFile(file, derived)
}
