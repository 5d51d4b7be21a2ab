import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import {
  countRows,
  dropClones,
  emptyTables,
  insertPiece,
  prepareLanding,
  moveLandedRows,
  type Clone,
} from '@probe-mesh/control-plane/stores/clickhouse/table-clones'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { loadTables, type TableLoader } from '@probe-mesh/control-plane/stores/postgres/load-tables'
import type { Manifest, PartHead } from './archive/format.ts'
import type { ArchiveReader, Verified } from './archive/read-archive.ts'
import type { Progress } from './back-up.ts'

/**
 * Loads an archive into migrated, empty stores. Readings go into staging tables that are attached as a
 * whole. Postgres commits last, so a failure leaves both stores empty.
 * @throws Error for a row count that differs from the manifest
 */
export const loadArchive = async (given: {
  archive: ArchiveReader
  verified: Verified
  sql: Sql
  clickhouse: ClickHouse
  progress: Progress
}): Promise<void> => {
  const { archive, verified, sql, clickhouse, progress } = given
  const { manifest, tables } = verified
  const landing = manifest.clickhouse === null ? [] : await prepareLanding(clickhouse)
  let isAttached = false
  try {
    const shape = { tables, sequences: manifest.postgres.sequences }
    await loadTables(sql, shape, async (loader) => {
      for await (const { head, data } of partsOf(archive)) {
        const rows = await loadPart(head, data, { loader, landing, clickhouse })
        if (rows === null) continue
        checkRows(manifest, head, rows)
        progress(`${head.store} ${head.name}: ${rows} rows`)
      }
      isAttached = true
      await moveLandedRows(clickhouse, landing)
    })
  } catch (error) {
    if (isAttached)
      await emptyTables(
        clickhouse,
        landing.map(({ table }) => table),
      ).catch(() => undefined)
    throw error
  } finally {
    await dropClones(clickhouse, landing).catch(() => undefined)
  }
}

/** @returns the loaded rows; null for a file */
const loadPart = async (
  head: PartHead,
  data: AsyncIterable<Uint8Array>,
  to: { loader: TableLoader; landing: readonly Clone[]; clickhouse: ClickHouse },
): Promise<number | null> => {
  if (head.store === 'postgres') return to.loader.load(head, data)
  if (head.store === 'file') {
    for await (const _ of data);
    return null
  }
  const clone = to.landing.find(({ table }) => table === head.name)?.clone
  if (clone === undefined) throw new Error(`ClickHouse has no table ${head.name}`)
  const { columns } = head
  for await (const bytes of data) await insertPiece(to.clickhouse, { clone, columns }, bytes)
  return countRows(to.clickhouse, clone)
}

const checkRows = (manifest: Manifest, head: PartHead, rows: number): void => {
  const expected = manifest.parts.find(({ store, name }) => store === head.store && name === head.name)
  if (expected?.rows === rows) return
  throw new Error(`${head.store} ${head.name} has ${rows} rows; the backup has ${expected?.rows}`)
}

/** The parts of an archive. Read the data of a part before the next part. */
const partsOf = async function* (
  archive: ArchiveReader,
): AsyncGenerator<{ head: PartHead; data: AsyncGenerator<Uint8Array> }> {
  const pieces = archive.pieces()
  let next = await pieces.next()
  const data = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      next = await pieces.next()
      if (next.done === true || next.value.kind !== 'data') return
      yield next.value.bytes
    }
  }
  try {
    while (next.done !== true && next.value.kind === 'part') {
      yield { head: next.value.head, data: data() }
    }
  } finally {
    await pieces.return(undefined)
  }
}
