import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { architectures, type Platform } from '../nodes.ts'

const run = promisify(execFile)
const stepMsMax = 600_000
const outputBytesMax = 16 * 1024 * 1024

/** Debian's archive for a platform. It changes nothing on this machine. */
export type DebianArchive = {
  /** The packages of an installation on an empty machine, the given ones included. */
  closure(names: readonly string[]): Promise<string[]>
  /**
   * Unpacks packages. None of their scripts runs.
   * @returns versions by name
   */
  unpack(names: readonly string[], into: string): Promise<Record<string, string>>
}

/**
 * Opens the archives that apt of this machine has, with those of security updates if it has them, with new lists.
 * @param folder for lists and downloads
 * @throws Error where this is not Debian 12, or its archive is unreachable
 */
export const openDebian = async (platform: Platform, folder: string): Promise<DebianArchive> => {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '')
  if (!/^ID=debian$/m.test(system) || !/^VERSION_CODENAME=bookworm$/m.test(system)) {
    throw new Error(
      'images are made from packages of Debian 12: run this on a Debian 12, as root or not, with apt',
    )
  }
  for (const part of ['state/lists/partial', 'cache/archives/partial']) {
    await mkdir(join(folder, part), { recursive: true })
  }
  await writeFile(join(folder, 'status'), '')
  const settings = [
    `Dir::State=${folder}/state`,
    `Dir::State::status=${folder}/status`,
    `Dir::Cache=${folder}/cache`,
    `APT::Architecture=${architectures[platform]}`,
    `APT::Architectures=${architectures[platform]}`,
    'APT::Sandbox::User=',
    'APT::Install-Recommends=false',
  ].flatMap((setting) => ['-o', setting])
  const apt = async (cwd: string, ...args: string[]): Promise<string> =>
    (await run('apt-get', [...settings, ...args], { cwd, timeout: stepMsMax, maxBuffer: outputBytesMax }))
      .stdout
  await apt(folder, 'update')
  return {
    closure: async (names) => {
      const plan = await apt(folder, 'install', '--simulate', ...names)
      return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name.replace(/:.*/, '')).toSorted()
    },
    unpack: async (names, into) => {
      const fetched = await mkdtemp(join(folder, 'packages-'))
      await apt(fetched, 'download', ...names)
      const versions: Record<string, string> = {}
      // read by scanners, as in the images that are made like this one
      await mkdir(join(into, 'var/lib/dpkg/status.d'), { recursive: true })
      for (const file of (await readdir(fetched)).toSorted()) {
        const { stdout: control } = await run('dpkg-deb', ['--field', join(fetched, file)])
        const name = /^Package: (.*)$/m.exec(control)?.[1] ?? ''
        const version = /^Version: (.*)$/m.exec(control)?.[1] ?? ''
        await run('dpkg-deb', ['--extract', join(fetched, file), into], { timeout: stepMsMax })
        await writeFile(join(into, 'var/lib/dpkg/status.d', name), control)
        versions[name] = version
      }
      return versions
    },
  }
}
