import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { unpackOnly } from '@probe-mesh/infra/testing/debian-packages'

const run = promisify(execFile)
const caches = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
/** The folder of modules in Debian's packages, for any version of Python 3. */
const modules = join('usr', 'lib', 'python3', 'dist-packages')

/**
 * The `PYTHONPATH` with which python3 finds a module: empty if it is installed, else a cache folder of this
 * checkout with unpacked Debian packages.
 * @param packages the first one names the folder
 * @throws Error with the packages to install
 */
export const findPythonModule = async (
  module: string,
  packages: readonly [string, ...string[]],
): Promise<string> => {
  const [name] = packages
  if (await imports(module, '')) return ''
  const path = join(caches, name, modules)
  if (await exists(path)) return path
  try {
    await fetchModules(packages, join(caches, name))
    if (await imports(module, path)) return path
    throw new Error(`python3 cannot import ${module} of Debian's packages`)
  } catch (cause) {
    throw new Error(
      `no ${module}: install python3 so that it is in PATH, and ${name} (apt install ${name})`,
      { cause },
    )
  }
}

const imports = (module: string, path: string): Promise<boolean> =>
  run('python3', ['-c', `import ${module}`], { env: { ...process.env, PYTHONPATH: path } }).then(
    () => true,
    () => false,
  )

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const fetchModules = async (packages: readonly string[], cache: string): Promise<void> => {
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(`${cache}-`)
  try {
    const unpacked = join(folder, 'unpacked')
    await mkdir(unpacked)
    await unpackOnly(packages, folder, unpacked)
    // an atomic rename; if another run was faster, its copy is used
    await rename(unpacked, cache).catch(async (error: unknown) => {
      if (!(await exists(join(cache, modules)))) throw error
    })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
