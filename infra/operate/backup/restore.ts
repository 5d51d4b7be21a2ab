import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import {
  appliedClickHouseMigrations,
  clickhouseMigrations,
  migrateClickHouse,
} from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { filledTables } from '@probe-mesh/control-plane/stores/clickhouse/table-clones'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { baselineMigrations } from '@probe-mesh/control-plane/stores/postgres/baseline'
import { isEmptyDatabase } from '@probe-mesh/control-plane/stores/postgres/load-tables'
import {
  appliedPostgresMigrations,
  migratePostgres,
  postgresMigrations,
} from '@probe-mesh/control-plane/stores/postgres/migrate'
import { ensureSystemId } from '@probe-mesh/control-plane/mesh/identity/stored-identity'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { ArchiveRefused, type Manifest } from './archive/format.ts'
import {
  openArchive,
  verifyArchive,
  type ArchiveReader,
  type Verified,
  type KeptFile,
} from './archive/read-archive.ts'
import type { Progress } from './back-up.ts'
import { entriesOf, foreignEntries, putFiles, secretsKeyFile } from './kept-files.ts'
import { loadArchive } from './load-archive.ts'
import { restoreProblems, type RestoreFacts } from './may-restore.ts'
import { hasOwnStores, openForRestore, type OpenStores } from './places.ts'

export type Restored = { manifest: Manifest; dataDir: string | null; files: string[] }

type RestoreOptions = {
  config: Config
  path: string
  secret: string
  keysDir: string
  progress: Progress
}

/**
 * Restores a backup into an empty system. It first reads the whole file and checks the target, then
 * writes; a failure is undone. New stores are created in a temporary folder that is renamed to DATA_DIR.
 * @returns what was restored, or every reason against it
 */
export const restore = async (options: RestoreOptions): Promise<Restored | { problems: string[] }> => {
  const opened = await openArchive(options.path, options.secret)
  if (!opened.ok) return { problems: [opened.problem] }
  try {
    options.progress('verifying the file')
    return await restoreFrom(opened.archive, options)
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    return { problems: [`${options.path} ${error.message}`] }
  } finally {
    await opened.archive.close()
  }
}

const restoreFrom = async (
  archive: ArchiveReader,
  options: RestoreOptions,
): Promise<Restored | { problems: string[] }> => {
  const { config, keysDir } = options
  const verified = await verifyArchive(archive)
  const { manifest, files } = verified
  const dataDir = resolve(config.dataDir)
  const isNew = hasOwnStores(config)
  const problems = restoreProblems(manifest, await gatherRestoreFacts(manifest, files, options))
  if (problems.length > 0) return { problems }

  const folder = isNew ? `${dataDir}.restoring` : dataDir
  if (isNew) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(dirname(folder), { recursive: true })
  }
  const kept = files.filter(({ name }) => name !== secretsKeyFile || config.secretsKey === null)
  const placed: string[] = []
  try {
    const stores = await openForRestore(folder, config)
    try {
      await putFiles(kept, { dataDir: folder, keysDir }, placed)
      await fill(archive, verified, stores, options)
    } finally {
      await stores.close()
    }
    if (isNew) {
      // it is empty except for a lock file
      await rm(dataDir, { recursive: true, force: true })
      await rename(folder, dataDir)
    }
    return { manifest, dataDir: isNew ? dataDir : null, files: kept.map(({ name }) => name) }
  } catch (error) {
    for (const path of placed) await rm(path, { force: true })
    if (isNew) await rm(folder, { recursive: true, force: true })
    throw error
  }
}

const isCluster = ({ clickhouseCluster }: Config): boolean => clickhouseCluster !== null

/**
 * Migrates to the backup's version, loads the backup, and migrates to this version. The first control
 * plane creates the tables of a cluster, which a backup never fills.
 */
const fill = async (
  archive: ArchiveReader,
  verified: Verified,
  stores: OpenStores,
  { config, progress }: Pick<RestoreOptions, 'config' | 'progress'>,
): Promise<void> => {
  const { manifest } = verified
  const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 2 })
  const clickhouse = connectClickHouse(stores.clickhouseUrl)
  try {
    await migratePostgres(sql, { names: manifest.postgres.migrations })
    if (manifest.clickhouse !== null) {
      await migrateClickHouse(clickhouse, { names: manifest.clickhouse.migrations })
    }
    await loadArchive({ archive, verified, sql, clickhouse, progress })
    await migratePostgres(sql)
    // the original may still run with its own ClickHouse and NATS
    await ensureSystemId(sql, uuidv7(Date.now()))
    if (!isCluster(config)) await migrateClickHouse(clickhouse)
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), clickhouse.close()])
  }
}

const gatherRestoreFacts = async (
  manifest: Manifest,
  files: readonly KeptFile[],
  { config, keysDir }: RestoreOptions,
): Promise<RestoreFacts> => {
  const { databaseUrl, clickhouseUrl } = config
  const dataDir = resolve(config.dataDir)
  const database = databaseUrl === null ? null : await inspectDatabase(databaseUrl)
  const store =
    clickhouseUrl === null || manifest.clickhouse === null || isCluster(config)
      ? null
      : await inspectClickHouse(clickhouseUrl)
  const hasKeys = files.some(({ name }) => name.startsWith('nats/'))
  return {
    postgresMigrations: await postgresMigrations(),
    postgresBaseline: baselineMigrations,
    clickhouseMigrations: await clickhouseMigrations(),
    appliedPostgres: database?.applied ?? [],
    appliedClickHouse: store?.applied ?? [],
    isDatabaseEmpty: database?.isEmpty ?? null,
    isCluster: isCluster(config),
    filledTables: store?.filled ?? null,
    dataDir: {
      path: dataDir,
      entries: await conflictingEntries(dataDir, hasOwnStores(config), files, config.secretsKey),
    },
    keysDir: {
      path: keysDir,
      entries: hasKeys ? await foreignEntries(keysDir, 'nats', files) : [],
    },
    secretsKey: secretsKeyState(files, config.secretsKey),
  }
}

/** Entries of DATA_DIR that conflict: all for new stores, else only files that the restore writes. */
const conflictingEntries = async (
  dataDir: string,
  isNew: boolean,
  files: readonly KeptFile[],
  secretsKey: string | null,
): Promise<string[]> => {
  if (isNew) return entriesOf(dataDir)
  const entries = await foreignEntries(dataDir, 'data', files)
  const written = new Set(
    files.flatMap(({ name }) =>
      name.startsWith('data/') && (name !== secretsKeyFile || secretsKey === null)
        ? [name.slice('data/'.length)]
        : [],
    ),
  )
  return entries.filter((entry) => written.has(entry))
}

const secretsKeyState = (files: readonly KeptFile[], given: string | null): RestoreFacts['secretsKey'] => {
  const kept = files.find(({ name }) => name === secretsKeyFile)
  if (kept === undefined) return 'not in the backup'
  if (given === null) return 'not set'
  return Buffer.from(kept.bytes).toString('utf8').trim() === given ? 'same' : 'other'
}

const inspectDatabase = async (url: string): Promise<{ applied: string[]; isEmpty: boolean }> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  try {
    return { applied: await appliedPostgresMigrations(sql), isEmpty: await isEmptyDatabase(sql) }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const inspectClickHouse = async (url: string): Promise<{ applied: string[]; filled: string[] }> => {
  const clickhouse = connectClickHouse(url)
  try {
    return {
      applied: await appliedClickHouseMigrations(clickhouse),
      filled: await filledTables(clickhouse),
    }
  } finally {
    await clickhouse.close()
  }
}
