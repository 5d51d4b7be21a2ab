import { readdir, readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { z } from 'zod'
import { worldProblems } from './world-problems.ts'
import { World } from './world.ts'

const folder = new URL('worlds/', import.meta.url)
const extension = '.yaml'

/** The slugs of all worlds, in order. */
export const worldSlugs = async (): Promise<string[]> =>
  (await readdir(folder))
    .filter((file) => file.endsWith(extension))
    .map((file) => file.slice(0, -extension.length))
    .toSorted()

export const readWorld = async (slug: string): Promise<World> =>
  parseWorld(slug, await readFile(new URL(slug + extension, folder), 'utf8'))

/** @throws Error with every problem of the file */
const parseWorld = (slug: string, text: string): World => {
  const parsed = World.safeParse(parse(text))
  if (!parsed.success) throw new Error(`${slug}: ${z.prettifyError(parsed.error)}`)
  const problems = worldProblems(parsed.data)
  if (problems.length > 0) throw new Error(`${slug}:\n${problems.join('\n')}`)
  return parsed.data
}
