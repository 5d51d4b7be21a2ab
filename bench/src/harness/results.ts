import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { parse } from 'node:path'
import type { FigureLine } from './figure.ts'
import type { Machine } from './machine.ts'

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

/** The recorded runs of a bench, oldest first. */
export const readHistory = async (bench: string): Promise<Result[]> => {
  const file = new URL(`${bench}.json`, folder)
  const text = await readFile(file, 'utf8').catch(() => '[]')
  const history: unknown = JSON.parse(text)
  if (!Array.isArray(history)) throw new Error(`${file.pathname} does not hold an array of runs`)
  return history as Result[]
}

/** The recorded runs of all benches, by name. */
export const readHistories = async (): Promise<Record<string, Result[]>> => {
  const names = (await readdir(folder)).flatMap((file) => {
    const { name, ext } = parse(file)
    return ext === '.json' ? [name] : []
  })
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readHistory(name)] as const)),
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

/** Adds a run to the history of its bench, an array in a file. @returns the file, for people */
export const appendResult = async (bench: string, result: Result): Promise<string> => {
  const file = new URL(`${bench}.json`, folder)
  await mkdir(folder, { recursive: true })
  const history = await readHistory(bench)
  const unfinished = new URL(`${bench}.json.tmp`, folder)
  await writeFile(unfinished, `${JSON.stringify([...history, result], null, 1)}\n`)
  await rename(unfinished, file)
  return `bench/results/${bench}.json`
}
