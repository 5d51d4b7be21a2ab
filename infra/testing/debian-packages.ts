import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const downloadMsMax = 300_000
const outputBytesMax = 16 * 1024 * 1024
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** apt as far as it changes nothing on the machine. */
type Apt = {
  /** What an installation would add to this machine, the packages asked for included. */
  missing(packages: readonly string[]): Promise<string[]>
  /** Fetches packages and unpacks them into one folder. */
  unpack(packages: readonly string[], into: string): Promise<void>
}

/** With the lists that the machine has, which may be none or too old. */
const openMachinesApt = (folder: string): Promise<Apt> => open(folder, [])

/**
 * With lists of its own, new, from the mirror that the machine uses.
 * @param suite the release; null for the machine's own
 * @throws Error where this is no Debian, or its archive is not reached
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
  await run('apt-get', [...settings, '-o', asOneself, 'update'], { timeout: downloadMsMax })
  return open(folder, settings)
}

/**
 * Unpacks packages with what the machine lacks of theirs, by the machine's lists, or by new ones where
 * those are missing or old.
 * @param folder for lists and downloads. @param say told what is done, for people
 */
export const unpackMissing = (
  packages: readonly string[],
  folder: string,
  into: string,
  say: (what: string) => void = () => {},
): Promise<void> =>
  byAnyLists(folder, say, async (apt) => {
    const missing = await apt.missing(packages)
    say(`fetching ${missing.length} packages of Debian`)
    await apt.unpack(missing, into)
  })

/** As `unpackMissing`, these packages alone, whatever the machine has. */
export const unpackOnly = (packages: readonly string[], folder: string, into: string): Promise<void> =>
  byAnyLists(
    folder,
    () => {},
    (apt) => apt.unpack(packages, into),
  )

const byAnyLists = async (
  folder: string,
  say: (what: string) => void,
  act: (apt: Apt) => Promise<void>,
): Promise<void> => {
  await act(await openMachinesApt(folder)).catch(async () => {
    say('the lists of apt are missing or old, fetching them')
    await act(await openPrivateApt(folder, null))
  })
}

const asOneself = 'APT::Sandbox::User='

const open = async (folder: string, settings: readonly string[]): Promise<Apt> => {
  const cwd = await mkdtemp(join(folder, 'packages-'))
  const apt = async (...args: string[]): Promise<string> => {
    const options = { cwd, timeout: downloadMsMax, maxBuffer: outputBytesMax }
    return (await run('apt-get', [...settings, '-o', asOneself, ...args], options)).stdout
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

/** Where this machine takes Debian's packages from: its own mirror, not one of ours. */
export const debianArchive = async (): Promise<string> => {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)'])
  const found = stdout.split('\n').find((uri) => /\/debian\/?$/.test(uri))
  if (found === undefined) throw new Error('apt knows no archive of Debian')
  return found
}

const release = async (): Promise<string> => {
  const text = await readFile('/etc/os-release', 'utf8')
  const name = /^VERSION_CODENAME=(\w+)$/m.exec(text)?.[1]
  if (name === undefined || !/^ID=debian$/m.test(text)) throw new Error('this is no Debian release')
  return name
}
