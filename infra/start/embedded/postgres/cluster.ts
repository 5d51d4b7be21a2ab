import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { explainRunAs, giveTo, type RunAs } from './run-as.ts'
import { syncFolder } from '../sync-folder.ts'

const run = promisify(execFile)
const initdbTimeoutMs = 120_000
const unfinished = 'initializing-'

/** The superuser of an embedded cluster, and its default database. */
export const superuser = 'mesh'
export const defaultDatabase = 'postgres'

/** The folder of a data directory's cluster. */
export const clusterFolder = (dataDir: string): string => join(dataDir, 'cluster')

/** The major version that created the cluster; null: no cluster yet. */
export const clusterMajor = async (dataDir: string): Promise<number | null> => {
  const file = join(clusterFolder(dataDir), 'PG_VERSION')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new Error(`cannot read ${file}`, { cause: error })
  })
  return text === null ? null : Number(text.trim())
}

/**
 * Creates the cluster if needed and resolves with the superuser's password. A finished cluster is renamed
 * into place, so an interrupted start leaves none.
 */
export const ensureCluster = async (options: {
  dataDir: string
  binaries: Binaries
  runAs: RunAs
  durable: boolean
}): Promise<{ password: string }> => {
  const { dataDir, runAs } = options
  const exists = (await clusterMajor(dataDir)) !== null
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const password = await readPassword(dataDir, exists)
  await giveTo(runAs.owner, dataDir)
  if (exists) return { password }

  for (const name of await readdir(dataDir)) {
    if (name.startsWith(unfinished)) await rm(join(dataDir, name), { recursive: true, force: true })
  }
  const folder = join(dataDir, unfinished + randomBytes(6).toString('hex'))
  await initdb(folder, options)
  await rename(folder, clusterFolder(dataDir))
  if (options.durable) await syncFolder(dataDir)
  return { password }
}

const passwordFile = (dataDir: string): string => join(dataDir, 'password')

/** The password is written before the cluster: a cluster without its password could not be opened. */
const readPassword = async (dataDir: string, clusterExists: boolean): Promise<string> => {
  const file = passwordFile(dataDir)
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && !clusterExists) return ''
    throw new Error(`cannot read the password of the embedded Postgres, ${file}`, { cause: error })
  })
  if (known.trim() !== '') return known.trim()
  const password = randomBytes(24).toString('base64url')
  const handle = await open(`${file}.new`, 'w', 0o600)
  try {
    await handle.writeFile(`${password}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
  return password
}

const initdb = async (
  folder: string,
  options: { dataDir: string; binaries: Binaries; runAs: RunAs; durable: boolean },
): Promise<void> => {
  const { binaries, runAs, dataDir, durable } = options
  const failures: string[] = []
  for (const locale of localeFlags(binaries.major)) {
    const [command = '', ...flags] = [
      ...runAs.prefix,
      join(binaries.folder, 'initdb'),
      `--pgdata=${folder}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile(dataDir)}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      ...locale,
      ...(durable ? [] : ['--no-sync']),
    ]
    try {
      await run(command, flags, {
        ...runAs.identity,
        cwd: '/',
        env: serverEnvironment(),
        timeout: initdbTimeoutMs,
        killSignal: 'SIGKILL',
      })
      return
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new Error(
    `initdb of Postgres ${binaries.major} could not create a cluster in ${dataDir}.${explainRunAs(runAs)}\n${failures.join('\n')}`,
  )
}

/**
 * Text compares by code point, with Unicode letters, on every machine. Postgres 17 has such a locale; older
 * versions use one of the system, or plain C.
 */
const localeFlags = (major: number): string[][] =>
  major >= 17
    ? [['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']]
    : [['--locale=C.UTF-8'], ['--locale=C']]

/** Postgres inherits no variable of this process: not PGDATA or PGPORT, and no secret. */
export const serverEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
})
