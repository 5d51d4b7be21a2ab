import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const ourScope = '@probe-mesh'
const runMsMax = 60_000

/** The project at an earlier commit, in its own folder. */
export type FormerVersion = {
  readonly folder: string
  /** Runs the text of a module there, which may import files by `tree`. @returns its output */
  evaluate(text: string, environment?: Readonly<Record<string, string>>): Promise<string>
  close(): Promise<void>
}

/** Whether this clone has a commit. A shallow clone has only the newest. */
export const hasCommit = (commit: string): Promise<boolean> =>
  run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  )

/** Checks out a commit of the project into a folder, with the currently installed packages. */
export const checkOutFormerVersion = async (commit: string): Promise<FormerVersion> => {
  const folder = await mkdtemp(join(tmpdir(), 'former-'))
  const close = () => rm(folder, { recursive: true, force: true })
  try {
    const archive = join(folder, 'archive.tar')
    await run('git', ['archive', '--output', archive, commit], { cwd: root })
    await run('tar', ['-xf', archive, '-C', folder])
    await rm(archive)
    await linkPackages(folder)
  } catch (error) {
    await close()
    throw error
  }
  return {
    folder,
    evaluate: async (text, environment = {}) => {
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', text], {
        cwd: folder,
        timeout: runMsMax,
        env: { PATH: process.env['PATH'], ...environment },
      })
      return stdout.trim()
    },
    close,
  }
}

/** Links every package except ours, which come from the folder. */
const linkPackages = async (folder: string): Promise<void> => {
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  await mkdir(join(to, ourScope), { recursive: true })
  for (const name of await readdir(from)) {
    if (name !== ourScope && !name.startsWith('.')) await symlink(join(from, name), join(to, name))
  }
  for (const name of await readdir(join(from, ourScope))) {
    await symlink(join(folder, name), join(to, ourScope, name))
  }
}
