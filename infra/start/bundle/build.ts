import { readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { rolldown, type OutputAsset, type OutputChunk, type Plugin } from 'rolldown'
import { stampFile, stampOf, stampTextOf, startOf, type Stamp } from '../launch/bundles.mjs'
import { linesOnly } from './lines-only.ts'

/**
 * Packages with native code, or with files that they look for beside themselves. A bundle loads them from the
 * node_modules above it.
 */
const externalPackages = ['@node-rs/argon2', 'chdb', 'playwright-core', 'sharp'] as const

/** The syntax that every Node of ours reads. */
const target = 'node22'

/**
 * Bundles a program: its start, the parts that it loads at first use, and a start for each of its threads and
 * processes. The folder appears complete or not at all. What a program reads beside its sources (migrations, styles,
 * the catalog) it still reads there.
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
  const sources = createSources(root, out)
  const parts: (OutputChunk | OutputAsset)[] = []
  try {
    await mkdir(unfinished, { recursive: true })
    for (
      let left = new Map([[startOf(program.name), program.entry]]);
      left.size > 0;
      left = sources.takeStarts()
    ) {
      for (const [fileName, entry] of left) {
        parts.push(...(await bundle(join(root, entry), { root, fileName, sources: sources.plugin })))
      }
    }
    const sizes = new Map<string, number>()
    for (const part of parts) {
      const bytes = Buffer.from(textOf(part))
      await writeFile(join(unfinished, part.fileName), bytes)
      sizes.set(part.fileName, bytes.length)
    }
    // the workspaces' manifests say which file a name means, and other builders make other bundles
    for (const manifest of manifestsOf(root)) sources.read(join(root, manifest))
    for (const builder of ['build.ts', 'lines-only.ts']) sources.read(join(import.meta.dirname, builder))
    await writeFile(join(unfinished, stampFile), stampTextOf(root, sources.files, sizes))
    await rename(unfinished, out)
    return loadedBy(startOf(program.name), parts).map((module) => relative(root, module))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

const bundle = async (
  input: string,
  { root, fileName, sources }: { root: string; fileName: string; sources: Plugin },
): Promise<(OutputChunk | OutputAsset)[]> => {
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    external: (id) => externalPackages.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [sources],
    transform: { target },
    onwarn: ({ message }) => {
      throw new Error(message)
    },
  })
  const name = basename(fileName, '.mjs')
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: fileName,
    chunkFileNames: `${name}-[name]-[hash].mjs`,
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
  })
  await build.close()
  return output
}

/** The modules of a chunk and of those that it imports, which are there before its first line runs. */
const loadedBy = (fileName: string, parts: readonly (OutputChunk | OutputAsset)[]): string[] => {
  const chunks = new Map(parts.flatMap((part) => (part.type === 'chunk' ? [[part.fileName, part]] : [])))
  const seen = new Set([fileName])
  for (const name of seen) for (const next of chunks.get(name)?.imports ?? []) seen.add(next)
  return [...seen].flatMap((name) => chunks.get(name)?.moduleIds ?? [])
}

const textOf = (part: OutputChunk | OutputAsset): string | Uint8Array => {
  if (part.type === 'chunk') return part.code
  return part.fileName.endsWith('.map') ? linesOnly(String(part.source)) : part.source
}

const manifestsOf = (root: string): string[] => {
  const { workspaces = [] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces?: string[]
  }
  return ['package.json', ...workspaces.map((folder) => `${folder}/package.json`)]
}

/** A path in a URL, also with `#` or `%` in a name. */
const asUrl = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

const threadUrl = /\bnew URL\(\s*'([^']+\.ts)',\s*import\.meta\.url\s*\)/g

/**
 * Reads our own modules. Their `import.meta.url` stays the place of the source, so that they find the files beside
 * it; a module that is started by its URL becomes a start of its own.
 */
const createSources = (root: string, out: string) => {
  const files = new Map<string, Stamp>()
  const known = new Set<string>()
  let starts = new Map<string, string>()
  const read = (file: string): string => {
    // before the text: a change in between makes the bundle stale
    const stamp = stampOf(file)
    if (stamp !== null) files.set(relative(root, file), stamp)
    return readFileSync(file, 'utf8')
  }
  const startFor = (file: string): string => {
    const entry = relative(root, file)
    const fileName = `${entry.replace(/\.ts$/, '').replaceAll('/', '-')}.mjs`
    if (!known.has(entry)) starts.set(fileName, entry)
    known.add(entry)
    return fileName
  }
  const plugin: Plugin = {
    name: 'sources',
    load: {
      filter: { id: { exclude: /\/node_modules\// } },
      handler: (id) => {
        if (!id.startsWith(`${root}/`)) return null
        const code = read(id)
        if (!id.endsWith('.ts')) return { code, moduleType: id.endsWith('.json') ? 'json' : 'js' }
        if (!code.includes('import.meta.')) return { code, moduleType: 'ts' }
        const here = `new URL(${JSON.stringify(asUrl(relative(out, id)))}, import.meta.url).href`
        const placed = code
          .replaceAll(
            threadUrl,
            (_, path: string) => `new URL('./${startFor(join(dirname(id), path))}', import.meta.here)`,
          )
          .replaceAll('import.meta.url', here)
          .replaceAll('import.meta.here', 'import.meta.url')
        return { code: placed, moduleType: 'ts' }
      },
    },
  }
  return {
    files,
    read,
    plugin,
    takeStarts: (): Map<string, string> => {
      const taken = starts
      starts = new Map()
      return taken
    },
  }
}
