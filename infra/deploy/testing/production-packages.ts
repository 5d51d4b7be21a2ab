import { readFileSync } from 'node:fs'

type Entry = {
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/**
 * The folders of node_modules after `npm ci --omit=dev --workspace ...`, according to the lockfile: the
 * dependencies of the workspaces, recursively. Optional packages for other systems may be missing.
 */
export const productionPackages = (lockfile: URL, workspaces: readonly string[]): Set<string> => {
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as {
    packages: Record<string, Entry>
  }
  const found = new Set<string>()
  /** Resolves like Node: next to the importer, then one level up. */
  const resolve = (from: string, name: string): string | null => {
    for (let folder = from; ;) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
      if (packages[path] !== undefined) return path
      if (folder === '') return null
      const parent = folder.lastIndexOf('/node_modules/')
      folder = parent === -1 ? '' : folder.slice(0, parent)
    }
  }
  const visit = (folder: string): void => {
    const entry = packages[folder] ?? {}
    const peers = Object.keys(entry.peerDependencies ?? {}).filter(
      (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
    )
    const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
    for (const name of [...names, ...peers]) {
      const path = resolve(folder, name)
      if (path === null || found.has(path)) continue
      found.add(path)
      const { link, resolved } = packages[path] ?? {}
      visit(link === true && resolved !== undefined ? resolved : path)
    }
  }
  for (const workspace of workspaces) {
    found.add(`node_modules/@probe-mesh/${workspace}`)
    visit(workspace)
  }
  return found
}
