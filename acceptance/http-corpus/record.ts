import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { jsonRows } from '@probe-mesh/runtime/tables'
import type { Statuses } from './judge.ts'

/** The results of all cases, as Chromium, curl and the agent gave them. */
export const recordFile = new URL('record.json', import.meta.url)

/** The results of a class, in the order of its cases. `names` changes with the name or the place of a case. */
export type ClassRecord = { class: string; names: string; statuses: readonly Statuses[] }

/** A result of the file: `200` or `-` (no answer) of all three, or `200/-/200` of Chromium, curl and the agent. */
type Written = { clients: string; classes: readonly { class: string; names: string; results: string }[] }

const written = (): Written => JSON.parse(readFileSync(recordFile, 'utf8')) as Written

export const readRecord = (): ClassRecord[] =>
  written().classes.map(({ results, ...of }) => ({ ...of, statuses: results.split(' ').map(statusesOf) }))

/** A short hash of the names of a class. */
export const hashOf = (names: readonly string[]): string =>
  createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 8)

export const recordOf = (
  classes: readonly { name: string; cases: readonly { name: string; statuses: Statuses }[] }[],
): ClassRecord[] =>
  classes.map(({ name, cases }) => ({
    class: name,
    names: hashOf(cases.map((each) => each.name)),
    statuses: cases.map(({ statuses }) => statuses),
  }))

/** The text of the file. @param clients the versions of Chromium and curl */
export const recordText = (record: readonly ClassRecord[], clients: string): string =>
  `${jsonRows({
    clients,
    classes: record.map(({ statuses, ...of }) => ({ ...of, results: statuses.map(resultOf).join(' ') })),
  })}\n`

const resultOf = ({ chromium, curl, ours }: Statuses): string => {
  const all = [chromium, curl, ours].map((status) => status ?? '-')
  return new Set(all).size === 1 ? String(all[0]) : all.join('/')
}

const statusesOf = (result: string): Statuses => {
  const all = result.split('/').map(statusOf)
  const [chromium = null, curl = chromium, ours = chromium] = all
  return { chromium, curl, ours }
}

const statusOf = (text: string): number | null => {
  if (text === '-') return null
  if (!/^\d+$/.test(text)) throw new Error(`not a status: ${text}`)
  return Number(text)
}
