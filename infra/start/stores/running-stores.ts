import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from '../embedded/lock.ts'

/** The addresses of a running instance's databases, for operator commands on the same machine. */
export type RunningStores = {
  readonly databaseUrl: string
  readonly clickhouseUrl: string
  readonly pid: number
}

const fileOf = (dataDir: string): string => join(dataDir, 'embedded.json')

/** Writes the file readable by its owner only, because it contains passwords. */
export const writeRunningStores = async (dataDir: string, stores: RunningStores): Promise<void> => {
  const file = fileOf(dataDir)
  await rm(`${file}.new`, { force: true })
  await writeFile(`${file}.new`, `${JSON.stringify(stores, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  })
  await rename(`${file}.new`, file)
}

export const removeRunningStores = async (dataDir: string): Promise<void> =>
  rm(fileOf(dataDir), { force: true })

/** Returns the databases of the instance that runs on this directory; null: none runs. */
export const findRunningStores = async (dataDir: string): Promise<RunningStores | null> => {
  const stores = await readStores(dataDir)
  if (stores === null) return null
  // A killed instance leaves its file, but not its lock.
  const lock = lockFolder(dataDir)
  lock?.release()
  return lock === null ? stores : null
}

/** Reads the file, whether or not its writer still runs. */
export const readStores = async (dataDir: string): Promise<RunningStores | null> => {
  const text = await readFile(fileOf(dataDir), 'utf8').catch(() => null)
  if (text === null) return null
  const value: unknown = JSON.parse(text)
  return isRunningStores(value) ? value : null
}

const isRunningStores = (value: unknown): value is RunningStores =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'databaseUrl') === 'string' &&
  typeof Reflect.get(value, 'clickhouseUrl') === 'string' &&
  typeof Reflect.get(value, 'pid') === 'number'
