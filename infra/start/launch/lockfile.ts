import { readFile } from 'node:fs/promises'
/** The rules for a package-lock.json. */

export type LockEntry = {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
  dev?: boolean
}
export type Lockfile = { packages: Record<string, LockEntry> }

export type LockfileRules = {
  /**
   * From package.json: whether the install script of a package may run. A package that is not listed is
   * unreviewed.
   */
  allowScripts: Readonly<Record<string, boolean>>
  /** `name@version` of packages whose checksum the registry did not return. */
  withoutIntegrity: readonly string[]
}

/** The hashes that npm computes; SHA-1 no longer protects. */
const strong = /^(sha512|sha384|sha256)-[A-Za-z0-9+/]+={0,2}(\s|$)/

const folderOfPackages = 'node_modules/'

/** The name of the package in a folder; null: a workspace of this repository. */
const packageName = (folder: string): string | null => {
  const at = folder.lastIndexOf(folderOfPackages)
  return at === -1 ? null : folder.slice(at + folderOfPackages.length)
}

/** The entries from a registry, with `name@version`. */
export const registryEntries = ({
  packages,
}: Lockfile): { folder: string; name: string; id: string; entry: LockEntry }[] =>
  Object.entries(packages).flatMap(([folder, entry]) => {
    const name = packageName(folder)
    if (name === null || entry.link === true) return []
    return [{ folder, name, id: `${name}@${entry.version ?? ''}`, entry }]
  })

/** Lists the problems of a lockfile. */
export const lockfileProblems = (
  lockfile: Lockfile,
  { allowScripts, withoutIntegrity }: LockfileRules,
): string[] => {
  const known = new Set(withoutIntegrity)
  const entries = registryEntries(lockfile)
  const problems = entries.flatMap(({ folder, name, id, entry }) => {
    const { integrity, resolved, hasInstallScript } = entry
    const found: string[] = []
    if (integrity === undefined && !known.has(id)) found.push(`${folder} has no integrity`)
    if (integrity !== undefined && !strong.test(integrity)) {
      found.push(`${folder} has a weak integrity: ${integrity}`)
    }
    if (integrity !== undefined && known.has(id)) {
      found.push(`${id} has its integrity now: remove it from without-integrity.json`)
    }
    if (resolved !== undefined) found.push(`${folder} names where it was fetched: ${resolved}`)
    if (hasInstallScript === true && !Object.hasOwn(allowScripts, name)) {
      found.push(`${id} has an install script that allowScripts in package.json does not list`)
    }
    return found
  })
  const ids = new Set(entries.map(({ id }) => id))
  const gone = [...known].filter((id) => !ids.has(id))
  return [
    ...problems,
    ...gone.map((id) => `${id} is not in the lockfile: remove it from without-integrity.json`),
    ...elsewhere(lockfile),
  ]
}

/** Lists workspaces and links that lead out of this checkout. */
const elsewhere = ({ packages }: Lockfile): string[] =>
  Object.entries(packages).flatMap(([folder, { link, resolved }]) =>
    link === true && (resolved === undefined || /^[a-z+]+:|^\/|(^|\/)\.\.(\/|$)/i.test(resolved))
      ? [`${folder} is a link to ${resolved ?? 'nothing'}, which is not in this checkout`]
      : [],
  )

/**
 * Adds the checksums that a lockfile lacks, one package after the other.
 * @param integrityOf returns the registry's checksum of `name@version`; null: the registry has none
 */
export const completeLockfile = async (
  lockfile: Lockfile,
  integrityOf: (id: string) => Promise<string | null>,
): Promise<{ completed: string[]; withoutIntegrity: string[] }> => {
  const completed: string[] = []
  const withoutIntegrity: string[] = []
  for (const { folder, id, entry } of registryEntries(lockfile)) {
    if (entry.integrity !== undefined) continue
    const integrity = await integrityOf(id)
    if (integrity === null) {
      withoutIntegrity.push(id)
      continue
    }
    // after the version, where npm writes it
    const { version, ...rest } = entry
    lockfile.packages[folder] = {
      ...(version === undefined ? {} : { version }),
      integrity,
      ...rest,
    }
    completed.push(id)
  }
  return { completed, withoutIntegrity: withoutIntegrity.toSorted() }
}

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
