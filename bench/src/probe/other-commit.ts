import { execFile } from 'node:child_process'
import { mkdir, readFile, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Checks out another commit beside this one, with the packages that are installed here, so that both can be
 * measured in turns in one run.
 * @param folder that does not exist yet
 * @returns where its files are
 * @throws Error where there is no such commit, or its package-lock.json differs
 */
export const layOutCommit = async (commit: string, folder: string): Promise<URL> => {
  const { stdout: same } = await run('git', ['diff', '--name-only', commit, '--', 'package-lock.json'], {
    cwd: root,
  })
  if (same.trim() !== '')
    throw new Error(`package-lock.json of ${commit} differs from the one installed here.`)
  await mkdir(folder)
  const archive = join(folder, 'commit.tar')
  await run('git', ['archive', '--output', archive, commit], { cwd: root })
  await run('tar', ['-xf', archive, '-C', folder])
  const text = await readFile(join(folder, 'package.json'), 'utf8')
  const { workspaces } = JSON.parse(text) as { workspaces: string[] }
  for (const workspace of ['.', ...workspaces]) await linkPackages(workspace, folder)
  await mkdir(join(folder, 'node_modules', scope), { recursive: true })
  for (const workspace of workspaces) {
    await symlink(join(folder, workspace), join(folder, 'node_modules', scope, workspace))
  }
  return pathToFileURL(`${folder}/`)
}

/** Packages of this scope come from the commit. */
const scope = '@probe-mesh'

const linkPackages = async (workspace: string, folder: string): Promise<void> => {
  const installed = join(root, workspace, 'node_modules')
  const names = await readdir(installed).catch(() => [])
  const linked = join(folder, workspace, 'node_modules')
  await mkdir(linked, { recursive: true })
  for (const name of names) {
    if (name !== scope && !name.startsWith('.')) await symlink(join(installed, name), join(linked, name))
  }
}
