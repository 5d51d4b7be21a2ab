import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { layered } from './layers.ts'
import { isProof, isTest } from './is-test.ts'
import type { Package } from './room.ts'

/** A workspace with a manifest, and the folder of its modules. */
type Workspace = Pick<Package, 'name' | 'folder'>
const workspacesOf = (packages: readonly Package[]): Workspace[] => [
  ...packages,
  ...layered.map((name) => ({ name, folder: name })),
]

/**
 * The door to every module of a workspace: below `src` for tests and the layers of a program, anywhere in a layered
 * workspace, whose files the rule judges as those of their programs. Other folders show their test helpers.
 */
const widestDoor = ({ name, folder }: Workspace): string => {
  if (folder === `${name}/src`) return 'src/'
  return layered.includes(name) ? '' : 'testing/'
}

/** The modules that other workspaces import, by workspace: paths without extensions, and the door for tests. */
const entriesOf = (
  workspaces: readonly Workspace[],
  files: ReadonlyMap<string, string>,
): Map<string, string[]> => {
  const found = new Map(workspaces.map(({ name }) => [name, new Set<string>()]))
  for (const [path, text] of files) {
    const own = workspaces.find(({ folder }) => path.startsWith(`${folder}/`))?.name
    for (const [, name = '', entry = ''] of text.matchAll(/['"`]@probe-mesh\/([a-z-]+)\/([\w./-]+)['"`]/g)) {
      const one = workspaces.find((workspace) => workspace.name === name)
      if (one === undefined || name === own) continue
      const door = widestDoor(one)
      if (entry === 'package.json') found.get(name)?.add(entry)
      else if (entry.startsWith(door)) found.get(name)?.add(`${door}*`)
      else if (files.has(`${one.folder}/${entry}.ts`)) {
        if (door !== 'src/' || !(isTest(path) || isProof(path))) found.get(name)?.add(entry)
      }
    }
  }
  return new Map([...found].map(([name, entries]) => [name, [...entries].toSorted()]))
}

const manifestOf = (root: string, { name }: Workspace): string => join(root, name, 'package.json')

const exportsOf = ({ name, folder }: Workspace, entries: readonly string[]) =>
  Object.fromEntries(
    entries.map((entry) => [
      `./${entry}`,
      entry === 'package.json'
        ? './package.json'
        : `.${entry.startsWith('src/') ? '' : folder.slice(name.length)}/${entry}.ts`,
    ]),
  )

/** Packages whose manifest does not export exactly the imported modules. */
export const wrongEntries = (
  root: string,
  packages: readonly Package[],
  files: ReadonlyMap<string, string>,
): string[] => {
  const workspaces = workspacesOf(packages)
  const entries = entriesOf(workspaces, files)
  return workspaces.flatMap((one) => {
    const manifest = JSON.parse(readFileSync(manifestOf(root, one), 'utf8')) as {
      exports?: unknown
    }
    const used = exportsOf(one, entries.get(one.name) ?? [])
    return JSON.stringify(manifest.exports) === JSON.stringify(used)
      ? []
      : [`${one.name}/package.json does not export exactly the imported modules: run npm run docs`]
  })
}

/** Writes the exports of each manifest: the modules that other packages import. */
export const writeEntries = (
  root: string,
  packages: readonly Package[],
  files: ReadonlyMap<string, string>,
): void => {
  const workspaces = workspacesOf(packages)
  const entries = entriesOf(workspaces, files)
  for (const one of workspaces) {
    const path = manifestOf(root, one)
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    manifest['exports'] = exportsOf(one, entries.get(one.name) ?? [])
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
  }
}
