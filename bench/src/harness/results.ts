import { jsonRows } from '@probe-mesh/runtime/tables'
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { FigureLine } from './figure.ts'
import { gitOutput, type Machine } from './machine.ts'

/** One run of a bench in its history. */
export type Result = {
  date: string
  commit: string | null
  machine: Machine
  /** `measurePace` right before and right after the bench, ms; absent before 2026-11-23. */
  pace?: readonly number[]
  figures: readonly FigureLine[]
}

const folder = new URL('../../results/', import.meta.url)
const fileOf = (bench: string): string => `bench/results/${bench}.json`

/** The runs of a file: an array, oldest first. */
const runsIn = (bench: string, text: string): Result[] => {
  const runs: unknown = JSON.parse(text)
  if (!Array.isArray(runs)) throw new Error(`${fileOf(bench)} does not hold an array of runs`)
  return (runs as Result[]).map((run) => ({
    ...run,
    figures: run.figures.map((line) => ({ ...line, bench })),
  }))
}

/** The newest run of a bench, and before it the figures of earlier runs that no later run measured. */
const readNewest = async (bench: string): Promise<Result[]> =>
  runsIn(bench, await readFile(new URL(`${bench}.json`, folder), 'utf8').catch(() => '[]'))

/** All runs of a bench in its file and in the commits of this clone, oldest first. */
export const readHistory = async (bench: string): Promise<Result[]> => {
  const root = join(import.meta.dirname, '../../..')
  const commits = await gitOutput(root, 'log', '--format=%h', '--', fileOf(bench)).catch(() => '')
  const texts = commits
    .split('\n')
    .filter((commit) => commit !== '')
    .map((commit) => gitOutput(root, 'show', `${commit}:${fileOf(bench)}`).catch(() => '[]'))
  const committed = (await Promise.all(texts)).map((text) => runsIn(bench, text))
  return wholeRuns([...committed.flat(), ...(await readNewest(bench))])
}

/** Each run once, with the most figures that any of its copies has, oldest first. */
export const wholeRuns = (copies: readonly Result[]): Result[] => {
  const runs = new Map<string, Result>()
  for (const run of copies) {
    const known = runs.get(run.date)
    if (known === undefined || known.figures.length < run.figures.length) runs.set(run.date, run)
  }
  return [...runs.values()].toSorted((a, b) => a.date.localeCompare(b.date))
}

/** The newest runs of all benches, by name. */
export const readNewestRuns = async (): Promise<Record<string, Result[]>> => {
  const names = (await readdir(folder)).flatMap((file) => {
    const { name, ext } = parse(file)
    return ext === '.json' ? [name] : []
  })
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readNewest(name)] as const)),
  )
}

/** The newest measurement of a figure, with its run. */
export type Measured = { line: FigureLine; run: Result }

/** @param history oldest first @returns null if it was never measured */
export const newestOf = (history: readonly Result[], figure: string): Measured | null => {
  for (const run of history.toReversed()) {
    const line = run.figures.find((one) => one.figure === figure)
    if (line !== undefined) return { line, run }
  }
  return null
}

/** Each figure in the newest run that measured it; runs without any are left out. */
export const newestFigures = (history: readonly Result[]): Result[] => {
  const measured = new Set<string>()
  return history
    .toReversed()
    .map((run) => {
      const figures = run.figures.filter(({ figure }) => !measured.has(figure))
      for (const { figure } of figures) measured.add(figure)
      return { ...run, figures }
    })
    .filter(({ figures }) => figures.length > 0)
    .toReversed()
}

/** Records a run as the newest of its bench. Commits keep the runs before. @returns the file, for people */
export const recordResult = async (bench: string, result: Result): Promise<string> => {
  await mkdir(folder, { recursive: true })
  const kept = newestFigures([...(await readNewest(bench)), result]).map((run) => ({
    ...run,
    figures: run.figures.map((line) => ({ ...line, bench: undefined })),
  }))
  const unfinished = new URL(`${bench}.json.tmp`, folder)
  await writeFile(unfinished, `${jsonRows(kept)}\n`)
  await rename(unfinished, new URL(`${bench}.json`, folder))
  return fileOf(bench)
}
