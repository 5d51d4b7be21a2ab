import { execFile } from 'node:child_process'
import { access, constants, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const name = 'prometheus-blackbox-exporter'
const downloadMsMax = 120_000
const cache = fileURLToPath(new URL(`../../../node_modules/.cache/${name}`, import.meta.url))
/** Its 0.26 checks for less CPU than the 0.23 of the release before: the harder peer. */
const suite = 'trixie'
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * The path of a blackbox_exporter: the one in PATH, else the one fetched before, else Debian's
 * package unpacked into a cache of this checkout, without installing anything.
 * @param mayFetch whether to ask Debian's archive for what is not there
 * @throws Error that says why there is none
 */
export const findBlackbox = async ({ mayFetch }: { mayFetch: boolean }): Promise<string> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const known of [name, 'blackbox_exporter']) {
      const path = join(folder, known)
      if (folder !== '' && (await isExecutable(path))) return path
    }
  }
  const cached = join(cache, 'usr', 'bin', name)
  if (await isExecutable(cached)) return cached
  if (!mayFetch) throw new Error('none in PATH, none fetched before')
  await fetchPackage()
  return cached
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Where this machine takes Debian's packages from: its own mirror, not one of ours. */
const debianArchive = async (): Promise<string> => {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)'])
  const archive = stdout.split('\n').find((uri) => /\/debian\/?$/.test(uri))
  if (archive === undefined) throw new Error('apt knows no archive of Debian')
  return archive
}

/** By a private state of apt, so that the machine's own lists and packages stay as they are. */
const fetchPackage = async (): Promise<void> => {
  await mkdir(join(cache, '..'), { recursive: true })
  const folder = await mkdtemp(`${cache}-`)
  try {
    await mkdir(join(folder, 'state', 'lists', 'partial'), { recursive: true })
    await mkdir(join(folder, 'cache', 'archives', 'partial'), { recursive: true })
    await writeFile(join(folder, 'status'), '')
    const source = `deb [signed-by=${keyring}] ${await debianArchive()} ${suite} main\n`
    await writeFile(join(folder, 'sources.list'), source)
    const settings = [
      `Dir::State=${folder}/state`,
      `Dir::State::status=${folder}/status`,
      `Dir::Cache=${folder}/cache`,
      `Dir::Etc::sourcelist=${folder}/sources.list`,
      'Dir::Etc::sourceparts=-',
      'APT::Sandbox::User=',
    ].flatMap((setting) => ['-o', setting])
    const options = { cwd: folder, timeout: downloadMsMax }
    await run('apt-get', [...settings, 'update'], options)
    await run('apt-get', [...settings, 'download', name], options)
    const deb = (await readdir(folder)).find((file) => file.endsWith('.deb'))
    if (deb === undefined) throw new Error('apt-get downloaded nothing')
    await run('dpkg-deb', ['-x', deb, 'unpacked'], options)
    // Whole at once; where another run was first, its copy is as good.
    await rename(join(folder, 'unpacked'), cache).catch(async (error: unknown) => {
      if (!(await isExecutable(join(cache, 'usr', 'bin', name)))) throw error
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
