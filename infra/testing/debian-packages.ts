import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const downloadMsMax = 300_000
const outputBytesMax = 16 * 1024 * 1024
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** apt commands that do not change the machine. */
type Apt = {
  /** The packages that an installation would add to this machine, including the given ones. */
  missing(packages: readonly string[]): Promise<string[]>
  /** Downloads packages and unpacks them into one folder. */
  unpack(packages: readonly string[], into: string): Promise<void>
}

/** Opens apt with the lists of the machine, which may be missing or too old. */
const openMachinesApt = (folder: string): Promise<Apt> => open(folder, [])

/**
 * Opens apt with new lists from the mirror of the machine.
 * @param suite the release; null for the machine's own
 * @throws Error if this is not Debian or its archive is unreachable
 */
export const openPrivateApt = async (folder: string, suite: string | null): Promise<Apt> => {
  await mkdir(join(folder, 'state', 'lists', 'partial'), { recursive: true })
  await mkdir(join(folder, 'cache', 'archives', 'partial'), { recursive: true })
  const source = `deb [signed-by=${keyring}] ${await debianArchive()} ${suite ?? (await release())} main\n`
  await writeFile(join(folder, 'sources.list'), source)
  const settings = [
    `Dir::State=${folder}/state`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${folder}/cache`,
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    'Dir::Etc::sourceparts=-',
  ].flatMap((setting) => ['-o', setting])
  await run('apt-get', [...settings, '-o', withoutSandboxUser, 'update'], { timeout: downloadMsMax })
  return open(folder, settings)
}

/**
 * Unpacks packages and their missing dependencies, with the lists of the machine, or with new ones if those
 * are missing or old.
 * @param folder for lists and downloads. @param report gets progress messages
 */
export const unpackMissing = (
  packages: readonly string[],
  folder: string,
  into: string,
  report: (what: string) => void = () => {},
): Promise<void> =>
  byAnyLists(folder, report, async (apt) => {
    const missing = await apt.missing(packages)
    report(`downloading ${missing.length} Debian packages`)
    await apt.unpack(missing, into)
  })

/** Unpacks exactly these packages, without their dependencies. */
export const unpackOnly = (packages: readonly string[], folder: string, into: string): Promise<void> =>
  byAnyLists(
    folder,
    () => {},
    (apt) => apt.unpack(packages, into),
  )

const byAnyLists = async (
  folder: string,
  report: (what: string) => void,
  act: (apt: Apt) => Promise<void>,
): Promise<void> => {
  await act(await openMachinesApt(folder)).catch(async () => {
    report('the lists of apt are missing or old, downloading them')
    await act(await openPrivateApt(folder, null))
  })
}

const withoutSandboxUser = 'APT::Sandbox::User='

const open = async (folder: string, settings: readonly string[]): Promise<Apt> => {
  const cwd = await mkdtemp(join(folder, 'packages-'))
  const apt = async (...args: string[]): Promise<string> => {
    const options = { cwd, timeout: downloadMsMax, maxBuffer: outputBytesMax }
    return (await run('apt-get', [...settings, '-o', withoutSandboxUser, ...args], options)).stdout
  }
  return {
    missing: async (packages) => {
      const plan = await apt('install', '--simulate', '--no-install-recommends', ...packages)
      return [...plan.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] ?? '')
    },
    unpack: async (packages, into) => {
      await apt('download', ...packages)
      for (const file of await readdir(cwd)) {
        if (!file.endsWith('.deb')) continue
        await run('dpkg-deb', ['-x', file, into], { cwd, timeout: downloadMsMax })
      }
    },
  }
}

/** The Debian mirror that this machine is configured for. */
export const debianArchive = async (): Promise<string> => {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)'])
  const found = stdout.split('\n').find((uri) => /\/debian\/?$/.test(uri))
  if (found === undefined) throw new Error('apt has no Debian archive configured')
  return found
}

const release = async (): Promise<string> => {
  const text = await readFile('/etc/os-release', 'utf8')
  const name = /^VERSION_CODENAME=(\w+)$/m.exec(text)?.[1]
  if (name === undefined || !/^ID=debian$/m.test(text)) throw new Error('this is not a Debian release')
  return name
}
