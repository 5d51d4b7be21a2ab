import { resolve } from 'node:path'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { findRunningStores } from '../../start/stores/running-stores.ts'
import { startStores } from '../../start/stores/stores.ts'
import { silentLog } from '../../start/embedded/log.ts'
import { entriesOf } from './kept-files.ts'

/** Addresses of the stores, until `close`. */
export type OpenStores = { databaseUrl: string; clickhouseUrl: string; close(): Promise<void> }

type Servers = Pick<Config, 'databaseUrl' | 'clickhouseUrl'>

const serversAt = (databaseUrl: string, clickhouseUrl: string): OpenStores => ({
  databaseUrl,
  clickhouseUrl,
  close: async () => undefined,
})

/** Whether a store is embedded in DATA_DIR. */
export const hasOwnStores = ({ databaseUrl, clickhouseUrl }: Servers): boolean =>
  databaseUrl === null || clickhouseUrl === null

/**
 * Opens the stores to copy: the configured servers, those of the instance that runs on DATA_DIR, or those
 * of a stopped instance, which are started for the backup.
 * @returns null for a DATA_DIR without stores
 */
export const openForBackup = async (config: Config): Promise<OpenStores | null> => {
  const { databaseUrl, clickhouseUrl } = config
  if (databaseUrl !== null && clickhouseUrl !== null) {
    return serversAt(databaseUrl, clickhouseUrl)
  }
  const dataDir = resolve(config.dataDir)
  const running = await findRunningStores(dataDir).catch(() => null)
  if (running !== null) {
    return serversAt(databaseUrl ?? running.databaseUrl, clickhouseUrl ?? running.clickhouseUrl)
  }
  const entries = await entriesOf(dataDir)
  if (!entries.includes('postgres') && !entries.includes('clickhouse')) return null
  return startStores({ dataDir, log: silentLog, databaseUrl, clickhouseUrl })
}

/** New stores in an empty folder, or the configured servers. */
export const openForRestore = (dataDir: string, config: Servers): Promise<OpenStores> =>
  hasOwnStores(config)
    ? startStores({ ...config, dataDir, log: silentLog })
    : Promise.resolve(serversAt(config.databaseUrl ?? '', config.clickhouseUrl ?? ''))
