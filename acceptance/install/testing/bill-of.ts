import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readBill } from './make-release.ts'

/** The packages of a bill of materials that an artefact has, as `name@version`. */
export const packagesInBill = async (release: string, file: string): Promise<Set<string>> => {
  const { components } = await readBill(release)
  return new Set(
    components
      .filter(({ properties }) => properties.some(({ value }) => value === file))
      .map(({ name, version }) => `${name}@${version}`),
  )
}

/** The packages in every `node_modules` at or below a folder, as `name@version`, read from their own manifests. */
export const packagesBelow = async (folder: string): Promise<string[]> => {
  const found = new Set<string>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== 'package.json' || !entry.isFile()) continue
    // only the root of a package: packages have other files of that name inside
    if (!/node_modules\/(@[^/]+\/)?[^/]+$/.test(entry.parentPath)) continue
    const { name, version } = JSON.parse(await readFile(join(entry.parentPath, entry.name), 'utf8')) as {
      name: string
      version: string
    }
    found.add(`${name}@${version}`)
  }
  return [...found].toSorted()
}
