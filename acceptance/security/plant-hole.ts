import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hole } from './holes.ts'

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
