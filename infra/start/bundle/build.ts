import { readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { stampFile, stampOf, stampTextOf } from '../launch/bundles.mjs'
import { bundleParts } from './parts.ts'

/**
 * Bundles a program into a folder, which appears complete or not at all. What a program reads beside its sources
 * (migrations, styles, the catalog) it still reads there.
 * @param program.entry its source, from the root
 * @param out the folder, which does not exist yet
 * @returns the modules that the program loads at its start, from the root
 * @throws Error for sources that cannot be bundled, or an `out` that cannot be written
 */
export const buildBundle = async (options: {
  root: string
  program: { name: string; entry: string }
  out: string
}): Promise<string[]> => {
  const { root, program, out } = options
  const unfinished = join(dirname(out), `.${process.pid}-${basename(out)}`)
  try {
    await mkdir(unfinished, { recursive: true })
    const { files, loaded, sources } = await bundleParts({ root, program, places: placesIn(root, out) })
    const sizes = new Map<string, number>()
    for (const [name, content] of files) {
      const bytes = Buffer.from(content)
      await writeFile(join(unfinished, name), bytes)
      sizes.set(name, bytes.length)
    }
    // the workspaces' manifests say which file a name means, and other builders make other bundles
    const builders = ['build.ts', 'parts.ts', 'lines-only.ts'].map((file) => join(import.meta.dirname, file))
    for (const file of [...manifestsOf(root).map((manifest) => join(root, manifest)), ...builders]) {
      const stamp = stampOf(file)
      if (stamp !== null) sources.set(relative(root, file), stamp)
    }
    await writeFile(join(unfinished, stampFile), stampTextOf(root, sources, sizes))
    await rename(unfinished, out)
    return loaded
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Beside the bundle: sources at their paths, starts in its folder. `import.meta.here` is the bundle's own file. */
export const placesIn = (root: string, out: string) => ({
  source: (path: string) =>
    `new URL(${JSON.stringify(asUrl(relative(out, join(root, path))))}, import.meta.here).href`,
  start: (fileName: string) => `new URL('./${fileName}', import.meta.here)`,
})

const manifestsOf = (root: string): string[] => {
  const { workspaces = [] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces?: string[]
  }
  return ['package.json', ...workspaces.map((folder) => `${folder}/package.json`)]
}

/** A path in a URL, also with `#` or `%` in a name. */
const asUrl = (path: string): string => path.split('/').map(encodeURIComponent).join('/')
