import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, lstat, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (await run('git', args, { cwd, maxBuffer: 2 ** 26 })).stdout

/** The scope of our own packages: their links lead into the copy. */
const own = '@probe-mesh'
/** Of hidden entries, only what programs read: caches of transformed files belong to one tree. */
const hidden = new Set(['.bin', '.cache', '.package-lock.json', '.probe-mesh-lock'])

export type Copy = {
  readonly root: string
  /** For temporary files of tests that are stopped: it is removed with the copy. */
  readonly temporary: string
  remove(): Promise<void>
}

/** Copies all files of a checkout that git does not ignore, as they are now, and links the installed packages. */
export const copyTree = async (root: string): Promise<Copy> => {
  const folder = await mkdtemp(join(tmpdir(), 'probe-mesh-planted-'))
  const [copy, temporary] = [join(folder, 'tree'), join(folder, 'tmp')]
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 20 })
  try {
    await Promise.all([copy, temporary].map((one) => mkdir(one)))
    const listed = await git(root, 'ls-files', '-coz', '--exclude-standard')
    // a deleted file is still listed
    const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))
    for (const folder of new Set(files.map(dirname))) await mkdir(join(copy, folder), { recursive: true })
    await Promise.all(files.map((file) => copyFile(join(root, file), join(copy, file))))
    // the tests read the list of files from git
    await git(copy, 'init', '--quiet')
    await git(copy, 'add', '--all')
    await linkPackages(root, copy)
    return { root: copy, temporary, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

const linkPackages = async (root: string, copy: string): Promise<void> => {
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')]
  await mkdir(join(to, own), { recursive: true })
  for (const name of await readdir(from)) {
    if (name === own || (name.startsWith('.') && !hidden.has(name))) continue
    await symlink(join(from, name), join(to, name))
  }
  for (const name of await readdir(join(from, own))) {
    await symlink(await readlink(join(from, own, name)), join(to, own, name))
  }
  // packages that one workspace has in another version
  for (const workspace of await readdir(copy)) {
    const nested = join(root, workspace, 'node_modules')
    const isFolder =
      workspace !== 'node_modules' &&
      (await lstat(nested).then(
        (at) => at.isDirectory(),
        () => false,
      ))
    if (isFolder) await symlink(nested, join(copy, workspace, 'node_modules'))
  }
}
