/** What a package-lock.json is held to. Pure. */

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
  /** Of package.json: whether a package's install script may run; one that is not named has not been looked at. */
  allowScripts: Readonly<Record<string, boolean>>
  /** `name@version` of packages whose checksum the registry did not give. */
  withoutIntegrity: readonly string[]
}

/** What npm computes; SHA-1 is no protection any more. */
const strong = /^(sha512|sha384|sha256)-[A-Za-z0-9+/]+={0,2}(\s|$)/

const folderOfPackages = 'node_modules/'

/** The name of the package in a folder; null where it is a workspace of ours. */
const packageName = (folder: string): string | null => {
  const at = folder.lastIndexOf(folderOfPackages)
  return at === -1 ? null : folder.slice(at + folderOfPackages.length)
}

/** The entries that come from a registry, with `name@version`. */
export const registryEntries = ({
  packages,
}: Lockfile): { folder: string; name: string; id: string; entry: LockEntry }[] =>
  Object.entries(packages).flatMap(([folder, entry]) => {
    const name = packageName(folder)
    if (name === null || entry.link === true) return []
    return [{ folder, name, id: `${name}@${entry.version ?? ''}`, entry }]
  })

/** Everything that is wrong with a lockfile; empty where nothing is. */
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
      found.push(`${id} has its integrity now: take it off the list of those without`)
    }
    if (resolved !== undefined) found.push(`${folder} names where it was fetched: ${resolved}`)
    if (hasInstallScript === true && !Object.hasOwn(allowScripts, name)) {
      found.push(`${id} has an install script, of which allowScripts in package.json says nothing`)
    }
    return found
  })
  const ids = new Set(entries.map(({ id }) => id))
  const gone = [...known].filter((id) => !ids.has(id))
  return [
    ...problems,
    ...gone.map((id) => `${id} is not in the lockfile: take it off the list of those without integrity`),
    ...elsewhere(lockfile),
  ]
}

/** Where a workspace or a link leads out of this checkout. */
const elsewhere = ({ packages }: Lockfile): string[] =>
  Object.entries(packages).flatMap(([folder, { link, resolved }]) =>
    link === true && (resolved === undefined || /^[a-z+]+:|^\/|(^|\/)\.\.(\/|$)/i.test(resolved))
      ? [`${folder} is a link to ${resolved ?? 'nothing'}, which is not in this checkout`]
      : [],
  )
