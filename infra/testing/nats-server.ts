import { execFile } from 'node:child_process'
import { access, constants, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const downloadMsMax = 120_000
const cache = fileURLToPath(new URL('../../node_modules/.cache/nats-server', import.meta.url))
/** Debian's stable release holds 2.10: what the bus must do with. Its packages run on any glibc >= 2.34. */
const suite = 'trixie'
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * The path of a nats-server: the one in PATH, else the one fetched before, else Debian's package
 * unpacked into a cache of this checkout, without installing anything.
 * @throws Error that says what to install
 */
export const findNatsServer = async (): Promise<string> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'nats-server')
    if (folder !== '' && (await isExecutable(path))) return path
  }
  const cached = join(cache, 'usr', 'sbin', 'nats-server')
  if (await isExecutable(cached)) return cached
  try {
    await fetchPackage()
  } catch (error) {
    throw new Error(
      'no nats-server: install version 2.10 or later so that it is in PATH (https://nats.io/download, or apt install nats-server)',
      { cause: error },
    )
  }
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
    await run('apt-get', [...settings, 'download', 'nats-server'], options)
    const deb = (await readdir(folder)).find((name) => name.endsWith('.deb'))
    if (deb === undefined) throw new Error('apt-get downloaded nothing')
    await run('dpkg-deb', ['-x', deb, 'unpacked'], options)
    // Whole at once; where another run was first, its copy is as good.
    await rename(join(folder, 'unpacked'), cache).catch(async (error: unknown) => {
      if (!(await isExecutable(join(cache, 'usr', 'sbin', 'nats-server')))) throw error
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
