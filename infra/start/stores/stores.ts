import { chmod, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { startClickHouse } from '../embedded/clickhouse/start.ts'
import { lockFolder } from '../embedded/lock.ts'
import type { Log } from '../embedded/log.ts'
import { startPostgres } from '../embedded/postgres/start.ts'
import { findRunAs, type RunAs } from '../embedded/postgres/run-as.ts'
import { readStores, removeRunningStores, writeRunningStores } from './running-stores.ts'
import { supervise, type EmbeddedServer } from '../embedded/supervise.ts'

export type Stores = {
  readonly databaseUrl: string
  readonly clickhouseUrl: string
  close(): Promise<void>
}

/**
 * Starts the databases without a URL in parallel in `dataDir` and restarts them if they end. This instance
 * holds the directory until `close`, or until the process ends in any way.
 * @throws Error if another instance holds the directory or a database does not start
 */
export const startStores = async (options: {
  dataDir: string
  log: Log
  databaseUrl?: string | null
  clickhouseUrl?: string | null
  /** Replaces the way to run Postgres, in tests. */
  runAs?: RunAs
}): Promise<Stores> => {
  const { log, databaseUrl = null, clickhouseUrl = null } = options
  const dataDir = resolve(options.dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockFolder(dataDir)
  if (lock === null) {
    const pid = (await readStores(dataDir))?.pid
    const who = pid === undefined ? 'Another instance' : `Another instance (process ${pid})`
    throw new Error(`${who} is running on ${dataDir}. Stop it, or set DATA_DIR to another directory.`)
  }
  const supervised = (name: string, url: string | null, start: Start): Promise<Store> =>
    url === null
      ? supervise(name, (behind) => start({ dataDir: join(dataDir, name), log, behind }), log)
      : Promise.resolve({ url, close: async () => {} })
  try {
    const runAs = options.runAs ?? (databaseUrl === null ? await findRunAs() : null)
    // Others may traverse the folder but not list it, for Postgres as another user.
    if (runAs?.identity.uid !== undefined) await chmod(dataDir, 0o711)
    const stores = await startAll([
      supervised('postgres', databaseUrl, (own) =>
        startPostgres({ ...own, ...(runAs === null ? {} : { runAs }) }),
      ),
      supervised('clickhouse', clickhouseUrl, startClickHouse),
    ])
    const urls = { databaseUrl: stores[0].url, clickhouseUrl: stores[1].url }
    const close = async (): Promise<void> => {
      await removeRunningStores(dataDir)
      await Promise.all(stores.map((store) => store.close()))
      lock.release()
    }
    await writeRunningStores(dataDir, { ...urls, pid: process.pid }).catch(async (error: unknown) => {
      await close()
      throw error
    })
    return { ...urls, close }
  } catch (error) {
    lock.release()
    throw error
  }
}

type Store = { readonly url: string; close(): Promise<void> }
type Start = (options: { dataDir: string; log: Log; behind: string | null }) => Promise<EmbeddedServer>

/** Starts both or none: if one fails, the other is ended first. */
const startAll = async (
  starting: readonly [Promise<Store>, Promise<Store>],
): Promise<readonly [Store, Store]> => {
  const [one, other] = await Promise.allSettled(starting)
  if (one.status === 'fulfilled' && other.status === 'fulfilled') return [one.value, other.value]
  const reasons: unknown[] = []
  for (const result of [one, other]) {
    if (result.status === 'fulfilled') await result.value.close()
    else reasons.push(result.reason)
  }
  throw reasons.length === 1 ? reasons[0] : new AggregateError(reasons, reasons.map(String).join('\n'))
}
