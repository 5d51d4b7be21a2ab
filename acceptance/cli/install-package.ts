import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const minutesMax = 2

/** The command line as an installed package. */
export type InstalledPackage = {
  /** The executable that its name in the PATH links to. */
  bin: string
  /** The JavaScript behind it. */
  script: string
  /** Other installed packages, by name; none are expected. */
  others: string[]
  close(): Promise<void>
}

/**
 * Runs `npm pack`, which builds the package, and installs the result with `npm install -g` without a network.
 * Builds in `cli/dist`, so only one test file may use it at a time.
 */
export const installPackage = async (): Promise<InstalledPackage> => {
  const folder = await mkdtemp(join(tmpdir(), 'service-package-'))
  const npm = async (...args: string[]): Promise<void> => {
    await run('npm', [...args, '--no-audit', '--no-fund'], {
      cwd: root,
      timeout: minutesMax * 60_000,
    })
  }
  await npm('pack', '-w', 'cli', '--pack-destination', folder)
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
  const prefix = join(folder, 'prefix')
  await npm('install', '-g', '--offline', '--prefix', prefix, join(folder, archive))
  const modules = join(prefix, 'lib/node_modules')
  return {
    bin: join(prefix, 'bin/service'),
    script: join(modules, '@probe-mesh/cli/dist/service.js'),
    others: (await readdir(modules)).filter((name) => name !== '@probe-mesh' && !name.startsWith('.')),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/**
 * Installs Node 22.0, the oldest supported version, verified by the checksum of its lockfile. @returns its
 * binary
 */
export const installOldestNode = async (): Promise<string> => {
  const folder = join(root, 'acceptance/cli/node-oldest')
  const binary = join(folder, `node_modules/node-linux-${process.arch}/bin/node`)
  const version = async (): Promise<string> => (await run(binary, ['--version'])).stdout.trim()
  const isThere = await version().then(
    (found) => found === 'v22.0.0',
    () => false,
  )
  if (isThere) return binary
  await run('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    timeout: minutesMax * 60_000,
  })
  if ((await version()) !== 'v22.0.0') throw new Error(`npm did not install Node 22.0.0 in ${folder}`)
  return binary
}
