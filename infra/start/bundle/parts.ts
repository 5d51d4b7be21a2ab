import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { rolldown, type OutputAsset, type OutputChunk, type Plugin } from 'rolldown'
import { stampOf, startOf, type Stamp } from '../launch/bundles.mjs'
import { linesOnly } from './lines-only.ts'

/**
 * Packages with native code, or with files that they look for beside themselves. A bundle loads them from the
 * node_modules above it.
 */
const externalPackages = ['@node-rs/argon2', 'chdb', 'playwright-core', 'sharp'] as const

/** The syntax that every Node of ours reads. */
const target = 'node22'

/** Where a bundle's modules are at run time, as expressions of JavaScript. */
export type Places = {
  /** The URL of a source, by its path from the root, as a string. */
  source: (path: string) => string
  /** The URL of the start of a thread or process, by its file in the bundle, as a URL. */
  start: (fileName: string) => string
}

export type BundleParts = {
  /** The files, by name. */
  files: ReadonlyMap<string, string | Uint8Array>
  /** The modules that the program loads at its start, then those that it loads later, from the root. */
  loaded: string[]
  later: string[]
  /** Our own sources in it, from the root, as they were when they were read. */
  sources: Map<string, Stamp>
}

/**
 * Bundles a program in memory: its start, the parts that it loads at first use, and a start for each of its threads
 * and processes.
 * @param program.entry its source, from the root
 * @param options.instead sources that take the place of others, both from the root
 * @throws Error for sources that cannot be bundled
 */
export const bundleParts = async (options: {
  root: string
  program: { name: string; entry: string }
  places: Places
  instead?: Readonly<Record<string, string>>
  sourceMaps?: 'files' | 'none'
}): Promise<BundleParts> => {
  const { root, program, places, instead = {}, sourceMaps = 'files' } = options
  const sources = readSources(root, places, instead)
  const parts: (OutputChunk | OutputAsset)[] = []
  for (
    let left = new Map([[startOf(program.name), program.entry]]);
    left.size > 0;
    left = sources.takeStarts()
  ) {
    for (const [fileName, entry] of left) {
      parts.push(...(await bundle(join(root, entry), { root, fileName, plugin: sources.plugin, sourceMaps })))
    }
  }
  const loaded = loadedBy(startOf(program.name), parts)
  const all = parts.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
  const fromRoot = (modules: readonly string[]) => modules.map((module) => relative(root, module))
  return {
    files: new Map(parts.map((part) => [part.fileName, textOf(part)])),
    loaded: fromRoot(loaded),
    later: fromRoot(all.filter((module) => !loaded.includes(module))),
    sources: sources.files,
  }
}

const bundle = async (
  input: string,
  options: { root: string; fileName: string; plugin: Plugin; sourceMaps: 'files' | 'none' },
): Promise<(OutputChunk | OutputAsset)[]> => {
  const build = await rolldown({
    input,
    cwd: options.root,
    platform: 'node',
    external: (id) => externalPackages.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [options.plugin],
    transform: { target },
    onwarn: ({ message }) => {
      throw new Error(message)
    },
  })
  const name = basename(options.fileName, '.mjs')
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: options.fileName,
    chunkFileNames: `${name}-[name]-[hash].mjs`,
    sourcemap: options.sourceMaps === 'files',
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

const threadUrl = /\bnew URL\(\s*'([^']+\.ts)',\s*import\.meta\.url\s*\)/g

/**
 * Reads our own modules. Their `import.meta.url` stays the place of the source, so that they find the files beside
 * it; a module that is started by its URL becomes a start of its own.
 */
const readSources = (root: string, places: Places, instead: Readonly<Record<string, string>>) => {
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
        const path = relative(root, id)
        const code = read(join(root, instead[path] ?? path))
        if (!id.endsWith('.ts')) return { code, moduleType: id.endsWith('.json') ? 'json' : 'js' }
        if (!code.includes('import.meta.')) return { code, moduleType: 'ts' }
        const placed = code
          .replaceAll(threadUrl, (_, to: string) => places.start(startFor(join(dirname(id), to))))
          .replaceAll('import.meta.url', () => places.source(path))
          .replaceAll('import.meta.here', 'import.meta.url')
        return { code: placed, moduleType: 'ts' }
      },
    },
  }
  return {
    files,
    plugin,
    takeStarts: (): Map<string, string> => {
      const taken = starts
      starts = new Map()
      return taken
    },
  }
}
