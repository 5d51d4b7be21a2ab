import { readFile } from 'node:fs/promises'
import { lockfileProblems, type Lockfile } from './lockfile.ts'

/** The lockfiles from which packages are installed. */
const lockfiles = [
  'package-lock.json',
  'infra/start/node/package-lock.json',
  'acceptance/cli/node-oldest/package-lock.json',
] as const

const readJson = async <T>(url: URL): Promise<T> => JSON.parse(await readFile(url, 'utf8')) as T

/** Packages for other systems whose checksum the registry did not return when the lockfile was written. */
export const readWithoutIntegrity = (): Promise<string[]> =>
  readJson<string[]>(new URL('without-integrity.json', import.meta.url))

/** @param root of a checkout. @returns the problems of all lockfiles, each with the name of its file */
export const checkLockfiles = async (root: URL): Promise<string[]> => {
  const manifest = await readJson<{ allowScripts?: Record<string, boolean> }>(new URL('package.json', root))
  const allowScripts = manifest.allowScripts ?? {}
  const found = await Promise.all(
    lockfiles.map(async (name) => {
      const lockfile = await readJson<Lockfile>(new URL(name, root))
      const withoutIntegrity = name === 'package-lock.json' ? await readWithoutIntegrity() : []
      return lockfileProblems(lockfile, { allowScripts, withoutIntegrity }).map(
        (problem) => `${name}: ${problem}`,
      )
    }),
  )
  return found.flat()
}
