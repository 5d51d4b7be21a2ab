import { readFileSync } from 'node:fs'
import type { Taken } from './judge.ts'
import { escaped } from './table.ts'

/** The document, which is the record of what each made of the cases as well. */
export const documentFile = new URL('../../docs/http-corpus.md', import.meta.url)

/** What was recorded, by class and case. */
export type CorpusRecord = ReadonlyMap<string, ReadonlyMap<string, Taken>>

export const readRecord = (): CorpusRecord => {
  const text = readFileSync(documentFile, 'utf8')
  const [, ...sections] = text.split(/^## /m)
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.split('\n')
      return [name.trim(), new Map(lines.filter(isRow).map(rowOf))]
    }),
  )
}

/** As the document names a case. */
export const recordedName = (name: string): string => oneLine(escaped(name))

/** What its tables say, however they are laid out. */
export const rowsOf = (text: string): string[] => text.split('\n').filter(isRow).map(oneLine)

const isRow = (line: string): boolean => /^\| (?!---|case .*Chromium)/.test(line)
const oneLine = (text: string): string => text.replaceAll(/ +/g, ' ').trim()

const rowOf = (line: string): [string, Taken] => {
  const [name = '', chromium = '', curl = '', ours = ''] = line
    .split(/(?<!\\)\|/)
    .slice(1)
    .map(oneLine)
  return [name, { chromium: statusOf(chromium), curl: statusOf(curl), ours: statusOf(ours) }]
}

const statusOf = (cell: string): number | null => {
  if (cell === 'refuses') return null
  if (!/^\d+$/.test(cell)) throw new Error(`not what was taken: ${cell}`)
  return Number(cell)
}
