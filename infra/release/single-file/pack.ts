import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Its library writes warnings about sections that Node does not have to our own output. */
const postject = createRequire(import.meta.url).resolve('postject/dist/cli.js')
const loader = join(import.meta.dirname, 'loader.cjs')

/** Node looks for this mark in its own file; a mark with `:1` says that there is a program in it. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/**
 * Writes one executable file of Node and a program, which needs neither Node nor packages where it runs. The same
 * contents give the same bytes.
 * @param modules the files of the program by name, ES modules that import each other as `./name`
 * @param start the name of its first module
 * @param flags of Node
 * @param node the Node that goes into the file, for the platform that the file is for
 * @param builder the Node of this machine, of the same version
 * @param out the file; it appears complete or not at all
 */
export const packSingleFile = async (options: {
  modules: ReadonlyMap<string, string | Uint8Array>
  start: string
  flags: readonly string[]
  node: string
  builder: string
  out: string
}): Promise<void> => {
  const { modules, start, flags, node, builder, out } = options
  await mkdir(dirname(out), { recursive: true })
  const unfinished = join(dirname(out), `.${process.pid}-${basename(out)}`)
  const folder = await mkdtemp(join(tmpdir(), 'single-file-'))
  try {
    const assets: Record<string, string> = {}
    const named = [...modules, ['start.mjs', `import './${start}'\n`] as const]
    for (const [name, content] of named.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      assets[name] = join(folder, name)
      await writeFile(join(folder, name), content)
    }
    const blob = join(folder, 'program.blob')
    // by their names: the file would have the path of this checkout
    await copyFile(loader, join(folder, basename(loader)))
    const config = {
      main: basename(loader),
      output: basename(blob),
      disableExperimentalSEAWarning: true,
      execArgv: ['--disable-warning=ExperimentalWarning', ...flags],
      assets,
    }
    await writeFile(join(folder, 'sea.json'), JSON.stringify(config))
    await run(builder, ['--experimental-sea-config', 'sea.json'], { cwd: folder })
    await copyFile(node, unfinished)
    await chmod(unfinished, 0o755)
    await run(builder, [postject, unfinished, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse])
    await rename(unfinished, out)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(unfinished, { force: true })
  }
}
