import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pinnedNode } from '../start/launch/decisions.mjs'
import type { Artefact, Release } from './release.ts'

type Locked = {
  version?: string
  license?: string
  integrity?: string
  dev?: boolean
  link?: boolean
  os?: readonly string[]
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
export type Lock = Readonly<Record<string, Locked>>

/** The lockfile's packages by folder. */
export const readLock = async (root: string): Promise<Lock> =>
  (JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages

/** Workspaces that are bundled whole: what their program needs stands beside what builds it. */
const bundledWorkspaces = ['cli', 'terraform']
const builders = /^(@types\/.*|rolldown|yazl)$/

/**
 * The folders in the lockfile of the packages in an artefact: those whose modules are bundled, and those that are
 * installed with it, with all that they need.
 * @throws Error for a package that the lockfile does not have, or that is for development only
 */
export const packagesIn = (
  { file, modules, packages }: Pick<Artefact, 'file' | 'modules' | 'packages'>,
  lock: Lock,
): string[] => {
  const bundled = modules.flatMap(
    (module) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? [],
  )
  const installed = installedWith(packages, lock)
  const ofBundled = needed(
    bundledWorkspaces.flatMap((workspace) =>
      Object.keys(lock[workspace]?.devDependencies ?? {})
        .filter((name) => !builders.test(name))
        .flatMap((name) => placeOf(name, workspace, lock) ?? []),
    ),
    lock,
  )
  const found = new Set([...bundled, ...installed])
  for (const folder of found) {
    const locked = lock[folder]
    if (locked === undefined) throw new Error(`${file} has ${folder}, which package-lock.json does not have`)
    if (locked.dev === true && !ofBundled.has(folder)) {
      throw new Error(`${file} has ${folder}, which is for development only`)
    }
  }
  return [...found].toSorted()
}

/** The folders in the lockfile of packages and of all that they need, on some platform. */
export const installedWith = (packages: Readonly<Record<string, string>>, lock: Lock): Set<string> =>
  needed(
    Object.keys(packages).map((name) => `node_modules/${name}`),
    lock,
  )

/** The name of the package in a folder of the lockfile. */
export const nameIn = (folder: string): string =>
  folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Packages with all that they need, which are in the lockfile for some platform. */
const needed = (folders: readonly string[], lock: Lock): Set<string> => {
  const found = new Set(folders)
  for (const folder of found) {
    const { dependencies = {}, optionalDependencies = {} } = lock[folder] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = placeOf(name, folder, lock)
      if (place !== null && lock[place]?.link !== true) found.add(place)
    }
  }
  return found
}

/** Where Node finds a package from a folder. null: nowhere. */
const placeOf = (name: string, from: string, lock: Lock): string | null => {
  const parents = from.split(/\/(?=node_modules\/)/)
  for (let depth = parents.length; depth >= 0; depth--) {
    const place = [...parents.slice(0, depth), `node_modules/${name}`].join('/')
    if (lock[place] !== undefined) return place
  }
  return null
}

/**
 * The bill of materials of a release: every package in it, with the artefacts that have it.
 * @returns CycloneDX 1.5 as JSON
 */
export const billOf = (release: Release, artefacts: readonly Artefact[], lock: Lock): string => {
  const holders = new Map<string, string[]>()
  for (const artefact of artefacts) {
    for (const folder of packagesIn(artefact, lock)) {
      holders.set(folder, [...(holders.get(folder) ?? []), artefact.file])
    }
  }
  const withNode = artefacts.filter(({ platform }) => platform !== null).map(({ file }) => file)
  const inFiles = (files: readonly string[]) =>
    files.map((file) => ({ name: 'probe-mesh:artefact', value: file }))
  const components = [...holders]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, files]) => {
      const name = nameIn(folder)
      const { version = '', license, integrity } = lock[folder] ?? {}
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
      return {
        type: 'library',
        'bom-ref': `${purl}#${folder}`,
        name,
        version,
        purl,
        ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
        ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
        properties: inFiles(files),
      }
    })
  const ofDebian = new Map<string, { name: string; version: string; files: string[] }>()
  for (const { file, system = {} } of artefacts) {
    for (const [name, version] of Object.entries(system)) {
      const known = ofDebian.get(`${name} ${version}`)
      if (known === undefined) ofDebian.set(`${name} ${version}`, { name, version, files: [file] })
      else known.files.push(file)
    }
  }
  const debian = [...ofDebian.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, version, files }) => {
      const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?distro=debian-12`
      return { type: 'library', 'bom-ref': purl, name, version, purl, properties: inFiles(files) }
    })
  const node = {
    type: 'platform',
    'bom-ref': `node@${pinnedNode}`,
    name: 'node',
    version: pinnedNode,
    purl: `pkg:generic/node@${pinnedNode}`,
    licenses: [{ license: { name: 'MIT and the licences of its parts' } }],
    properties: inFiles(withNode),
  }
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: release.time.toISOString(),
      component: { type: 'application', name: 'probe-mesh', version: release.version },
    },
    components: [...components, ...debian, ...(withNode.length > 0 ? [node] : [])],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** A checksum as npm writes it, as CycloneDX does. */
const hashOf = (integrity: string): { alg: string; content: string } => {
  const [algorithm = '', base64 = ''] = integrity.split('-')
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') }
}
