import type { KeptFile } from './archive/read-archive.ts'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { appliedClickHouseMigrations } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { clickhouseVersion } from '@probe-mesh/control-plane/stores/clickhouse/server-facts'
import {
  dropClones,
  piecesOf,
  prepareClones,
  rowsInText,
} from '@probe-mesh/control-plane/stores/clickhouse/table-clones'
import {
  connectPostgres,
  type Sql,
  type Transaction,
} from '@probe-mesh/control-plane/stores/postgres/connect'
import {
  copyOut,
  describeDatabase,
  inSnapshot,
  rowsInCopy,
} from '@probe-mesh/control-plane/stores/postgres/snapshot'
import { whileIngestIsStill } from '@probe-mesh/control-plane/stores/postgres/still-ingest'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Part } from './archive/format.ts'
import { openArchiveWriter, type ArchiveWriter } from './archive/write-archive.ts'
import type { OpenStores } from './places.ts'

export type BackedUp = {
  path: string
  bytes: number
  takenAt: string
  /** How long writes of readings paused, ms. */
  stillMs: number
  parts: Part[]
}

/** Reports progress to the operator. */
export type Progress = (text: string) => void

/**
 * Copies both stores as of one instant, and the key files, into one encrypted file. Readings, flips and
 * sent messages agree, so a restored system sends no notification twice.
 * @returns what was written, or the reason for writing nothing
 */
export const backUp = async (options: {
  stores: OpenStores
  path: string
  secret: string
  files: readonly KeptFile[]
  regions: readonly Region[]
  product: string
  withReadings: boolean
  now: () => number
  progress: Progress
}): Promise<BackedUp | { problem: string }> => {
  const { stores, progress, now } = options
  // one connection for the snapshot, one for the lock that pauses ingest
  const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 2 })
  const clickhouse = connectClickHouse(stores.clickhouseUrl)
  let archive: ArchiveWriter | null = null
  let prepared: Awaited<ReturnType<typeof prepareClones>> | null = null
  try {
    const writer = await openArchiveWriter(options.path, options.secret)
    archive = writer
    prepared = options.withReadings ? await prepareClones(clickhouse) : null
    const begun = await beginSnapshot(sql, async () => prepared?.fill())
    if (begun === 'busy') {
      return {
        problem:
          'a batch of readings is half stored and does not finish. Check ClickHouse with "admin doctor", start a control plane if none runs, and retry',
      }
    }
    const takenAt = new Date(now()).toISOString()
    const parts: Part[] = []
    const shape = await begun.use(async (tx) => {
      const found = await describeDatabase(tx)
      for (const table of found.tables) {
        const head = { store: 'postgres', ...table } as const
        const part = await writer.table(head, copyOut(tx, table), rowsInCopy)
        parts.push(part)
        progress(shown(part))
      }
      return found
    })
    for (const clone of prepared?.clones ?? []) {
      const head = { store: 'clickhouse', name: clone.table, columns: clone.columns } as const
      const part = await writer.table(head, piecesOf(clickhouse, clone), rowsInText)
      parts.push(part)
      progress(shown(part))
    }
    for (const { name, bytes } of options.files) {
      parts.push(await writer.file(name, bytes))
    }
    const bytes = await writer.finish({
      product: options.product,
      takenAt,
      regions: [...options.regions],
      postgres: { version: shape.version, migrations: shape.migrations, sequences: shape.sequences },
      clickhouse:
        prepared === null
          ? null
          : {
              version: await clickhouseVersion(clickhouse),
              migrations: await appliedClickHouseMigrations(clickhouse),
            },
      errorBatchesOpen: shape.errorBatchesOpen,
    })
    return { path: options.path, bytes, takenAt, stillMs: begun.stillMs, parts }
  } finally {
    await archive?.abandon()
    await dropClones(clickhouse, prepared?.clones ?? []).catch((error: unknown) =>
      progress(`temporary tables remain in ClickHouse until the next backup: ${String(error)}`),
    )
    await Promise.all([sql.end({ timeout: 5 }), clickhouse.close()])
  }
}

type BegunSnapshot = {
  /** Call once: the snapshot ends afterwards. */
  use<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  stillMs: number
}

/** Opens a snapshot and runs `meanwhile` while no batch is half stored. */
const beginSnapshot = async (sql: Sql, meanwhile: () => Promise<void>): Promise<BegunSnapshot | 'busy'> => {
  const opened = Promise.withResolvers<Transaction>()
  const used = Promise.withResolvers<void>()
  let ended: Promise<void> = Promise.resolve()
  let stillMs = 0
  const outcome = await whileIngestIsStill(sql, async () => {
    const startedAt = performance.now()
    ended = inSnapshot(sql, async (tx) => {
      opened.resolve(tx)
      await used.promise
    })
    await Promise.all([Promise.race([opened.promise, ended]), meanwhile()])
    stillMs = Math.round(performance.now() - startedAt)
  }).catch(async (error: unknown) => {
    used.resolve()
    await ended.catch(() => undefined)
    throw error
  })
  if (outcome === 'busy') return 'busy'
  return {
    stillMs,
    use: async (work) => {
      try {
        return await work(await opened.promise)
      } finally {
        used.resolve()
        await ended
      }
    },
  }
}

const shown = ({ store, name, rows, bytes }: Part): string =>
  `${store} ${name}: ${rows ?? 0} rows, ${bytes} bytes`
