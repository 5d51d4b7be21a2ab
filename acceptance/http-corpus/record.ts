import { readFileSync } from 'node:fs'
import type { Statuses } from './judge.ts'
import { escaped } from './table.ts'

/** The document, which is also the record of all results. */
export const documentFile = new URL('../../docs/http-corpus.md', import.meta.url)

/** The recorded results, by class and case. */
export type CorpusRecord = ReadonlyMap<string, ReadonlyMap<string, Statuses>>

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

/** The name of a case in the document. */
export const recordedName = (name: string): string => oneLine(escaped(name))

/** The rows of its tables, without padding. */
export const rowsOf = (text: string): string[] => text.split('\n').filter(isRow).map(oneLine)

const isRow = (line: string): boolean => /^\| (?!---|case .*Chromium)/.test(line)
const oneLine = (text: string): string => text.replaceAll(/ +/g, ' ').trim()

const rowOf = (line: string): [string, Statuses] => {
  const [name = '', chromium = '', curl = '', ours = ''] = line
    .split(/(?<!\\)\|/)
    .slice(1)
    .map(oneLine)
  return [name, { chromium: statusOf(chromium), curl: statusOf(curl), ours: statusOf(ours) }]
}

const statusOf = (cell: string): number | null => {
  if (cell === 'refuses') return null
  if (!/^\d+$/.test(cell)) throw new Error(`not a status: ${cell}`)
  return Number(cell)
}
