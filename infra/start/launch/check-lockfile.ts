import { readFile } from 'node:fs/promises'
import { lockfileProblems } from './lockfile.ts'
import type { Lockfile } from './lockfile.ts'

/** The lockfiles that something is installed by. */
export const lockfiles = [
  'package-lock.json',
  'infra/start/node/package-lock.json',
  'acceptance/cli/node-oldest/package-lock.json',
] as const

const readJson = async <T>(url: URL): Promise<T> => JSON.parse(await readFile(url, 'utf8')) as T

/** Packages for other systems whose checksum the registry did not give when the lockfile was made. */
export const readWithoutIntegrity = (): Promise<string[]> =>
  readJson<string[]>(new URL('without-integrity.json', import.meta.url))

/** @param root of a checkout. @returns every problem of every lockfile, each after the file's name */
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
