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

/** The project as it was at a commit, in a folder of its own. */
export type FormerVersion = {
  readonly folder: string
  /** Runs a module's text there, which may import files by `tree`. @returns what it printed */
  evaluate(text: string, environment?: Readonly<Record<string, string>>): Promise<string>
  close(): Promise<void>
}

/** Whether this clone has a commit: one without history has only its newest. */
export const hasCommit = (commit: string): Promise<boolean> =>
  run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  )

/** Takes a commit out of the project's history; its packages are those that are installed now. */
export const takeFormerVersion = async (commit: string): Promise<FormerVersion> => {
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

/** Every package but our own, which are those of the folder. */
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
