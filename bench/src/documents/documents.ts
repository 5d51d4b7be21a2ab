import { readFile, writeFile } from 'node:fs/promises'
import { growthTable, lastTable, wholeTable } from '../table/last-table.ts'
import { readHistories } from '../results.ts'
import type { Result } from '../results.ts'
import { costsOf, simulatedOf } from '../scale/costs.ts'
import { planTables } from '../scale/plan.ts'
import { tablesOf } from '../scale/tables.ts'
import { withTables } from './with-tables.ts'

const root = new URL('../../../', import.meta.url)

/** Documents that follow from what was measured, and how. */
const derivations: Readonly<Record<string, (histories: Histories) => Record<string, string>>> = {
  'docs/deploy.md': (histories) => planTables(costsOf(histories)),
  'docs/scale.md': (histories) => tablesOf(costsOf(histories), simulatedOf(histories)),
  'bench/README.md': (histories) => ({
    'last table': lastTable(histories),
    growth: growthTable(histories),
    'every figure': wholeTable(histories),
  }),
}

type Histories = Readonly<Record<string, readonly Result[]>>

/** What each document should be, and is. */
export const derivedDocuments = async (): Promise<
  { path: string; derived: string; written: string }[]
> => {
  const histories = await readHistories()
  return Promise.all(
    Object.entries(derivations).map(async ([path, tables]) => {
      const written = await readFile(new URL(path, root), 'utf8')
      return { path, derived: withTables(written, tables(histories), path), written }
    }),
  )
}

/** Writes the tables of all of them anew from the newest results. @returns those that changed */
export const writeDocuments = async (): Promise<string[]> => {
  const documents = await derivedDocuments()
  const changed = documents.filter(({ derived, written }) => derived !== written)
  for (const { path, derived } of changed) await writeFile(new URL(path, root), derived)
  return changed.map(({ path }) => path)
}
