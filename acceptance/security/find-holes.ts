import { runTests, type TestRun } from './run-tests.ts'
import { copyTree } from './copy-tree.ts'
import type { Hole } from './holes.ts'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Found = { hole: Hole; problem: string | null; seconds: number }

/** For one run of a proof: a whole system starts in a minute on a busy machine. */
const runMsMax = 300_000

/**
 * Plants each hole in a copy of the tree, one at a time, and runs its proof, which must turn red and name the hole.
 * A proof that is red without a hole proves nothing. The tree stays as it is.
 * @param onFound called after each hole
 */
export const findHoles = async (
  root: string,
  holes: readonly Hole[],
  { signal, onFound }: { signal: AbortSignal; onFound(found: Found): void },
): Promise<Found[]> => {
  const copy = await copyTree(root)
  try {
    const run = (hole: Hole): Promise<TestRun> =>
      runTests(copy.root, hole.proof, { msMax: runMsMax, signal, temporary: copy.temporary })
    /** By proof: its run without a hole. */
    const calm = new Map<string, Promise<TestRun>>()
    const all: Found[] = []
    for (const hole of holes) {
      if (signal.aborted) break
      const beganMs = performance.now()
      const key = JSON.stringify(hole.proof)
      const without = await (calm.get(key) ?? run(hole))
      calm.set(key, Promise.resolve(without))
      const problem = without.green
        ? await problemOf(copy.root, hole, run)
        : `the proof is red without the hole: ${firstLine(without)}`
      const found = { hole, problem, seconds: Math.round((performance.now() - beganMs) / 1_000) }
      all.push(found)
      onFound(found)
    }
    return all
  } finally {
    await copy.remove()
  }
}

/**
 * Plants a hole, runs its proof and closes the hole.
 * @returns null when the proof turns red and names the hole
 */
export const problemOf = async (
  root: string,
  hole: Hole,
  run: (hole: Hole) => Promise<TestRun>,
): Promise<string | null> => {
  let close: () => Promise<void>
  try {
    close = await plantHole(root, hole)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const planted = await run(hole).finally(close)
  if (planted.green) return 'not found: the proof is green'
  return [...planted.failures, planted.printed].some((text) => hole.found.test(text))
    ? null
    : `not found by its name: no failed test matches ${hole.found}, the first is ${firstLine(planted)}`
}

const firstLine = ({ failures }: TestRun): string => failures[0]?.split('\n').slice(0, 2).join(' ') ?? ''

/** A file with a hole in it; null when the text to replace does not occur exactly once. */
export const withHole = (text: string, { replace, by }: Pick<Hole, 'replace' | 'by'>): string | null => {
  const [before, after, ...more] = text.split(replace)
  return before === undefined || after === undefined || more.length > 0 ? null : `${before}${by}${after}`
}

/**
 * Plants a hole in a tree.
 * @returns a function that closes it
 * @throws Error when the file has no such text any more: then the table of holes is out of date
 */
export const plantHole = async (root: string, hole: Hole): Promise<() => Promise<void>> => {
  const path = join(root, hole.file)
  const text = await readFile(path, 'utf8').catch(() => '')
  const changed = withHole(text, hole)
  if (changed === null) {
    throw new Error(
      `the hole cannot be planted: ${hole.file} does not contain once ${JSON.stringify(hole.replace)}`,
    )
  }
  await writeFile(path, changed)
  return () => writeFile(path, text)
}
