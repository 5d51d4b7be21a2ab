import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf } from './judge-imports.ts'
import type { Package } from './room.ts'

/** The modules that other packages import, by package: paths without extensions. Pure. */
const entriesOf = (
  packages: readonly Package[],
  files: ReadonlyMap<string, string>,
): Map<string, string[]> => {
  const found = new Map(packages.map(({ name }) => [name, new Set<string>()]))
  for (const [path, text] of files) {
    const own = placeOf(packages, path)?.package.name
    for (const [, name = '', entry = ''] of text.matchAll(/['"`]@probe-mesh\/([a-z-]+)\/([\w./-]+)['"`]/g)) {
      const module = packages.find((one) => one.name === name)
      const isModule =
        entry === 'package.json' || (module !== undefined && files.has(`${module.folder}/${entry}.ts`))
      if (name !== own && isModule) found.get(name)?.add(entry)
    }
  }
  return new Map([...found].map(([name, entries]) => [name, [...entries].toSorted()]))
}

const manifestOf = (root: string, { name }: Package): string => join(root, name, 'package.json')

const exportsOf = ({ name, folder }: Package, entries: readonly string[]) =>
  Object.fromEntries(
    entries.map((entry) => [
      `./${entry}`,
      entry === 'package.json' ? './package.json' : `.${folder.slice(name.length)}/${entry}.ts`,
    ]),
  )

/** Packages whose manifest does not export exactly the imported modules. */
export const wrongEntries = (
  root: string,
  packages: readonly Package[],
  files: ReadonlyMap<string, string>,
): string[] => {
  const entries = entriesOf(packages, files)
  return packages.flatMap((one) => {
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
  const entries = entriesOf(packages, files)
  for (const one of packages) {
    const path = manifestOf(root, one)
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    manifest['exports'] = exportsOf(one, entries.get(one.name) ?? [])
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
  }
}
