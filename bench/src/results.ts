import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import type { FigureLine } from './figure.ts'
import type { Machine } from './machine.ts'

/** One run of a bench in its history. */
export type Result = {
  date: string
  commit: string | null
  machine: Machine
  figures: readonly FigureLine[]
}

const folder = new URL('../results/', import.meta.url)

/** Adds a run to the history of its bench, an array in a file. @returns the file, for people */
export const appendResult = async (bench: string, result: Result): Promise<string> => {
  const file = new URL(`${bench}.json`, folder)
  await mkdir(folder, { recursive: true })
  const text = await readFile(file, 'utf8').catch(() => '[]')
  const history: unknown = JSON.parse(text)
  if (!Array.isArray(history)) throw new Error(`${file.pathname} does not hold an array of runs`)
  const unfinished = new URL(`${bench}.json.tmp`, folder)
  await writeFile(unfinished, `${JSON.stringify([...history, result], null, 1)}\n`)
  await rename(unfinished, file)
  return `bench/results/${bench}.json`
}
