import { sourceMapsListedMax, type SourceMapUpload } from '../contracts/source-map.ts'
import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'

type NewSourceMap = {
  id: string
  accountId: string
  projectId: string
  debugId: string
  uploadId: string
  file: string
  release: string | null
  /** JSON, compressed with gzip. */
  packed: Uint8Array
  /** The approximate memory of the parsed map. */
  readBytes: number
}

/** The stored maps of an account, including deleted ones that are not purged yet. */
export const findSourceMapUse = async (
  db: Connection,
  accountId: string,
): Promise<{ maps: number; bytes: number }> => {
  const [row] = await db<{ maps: number; bytes: string }[]>`
    select count(*)::integer as maps, coalesce(sum(octet_length(packed)), 0) as bytes
    from error_source_maps where account_id = ${accountId}`
  return { maps: row?.maps ?? 0, bytes: Number(row?.bytes ?? 0) }
}

/** Inserts a map and deletes the previous one with its debug id. */
export const insertSourceMap = async (tx: Transaction, map: NewSourceMap, nowMs: number): Promise<void> => {
  const at = new Date(nowMs)
  await tx`
    update error_source_maps set deleted_at = ${at}
    where project_id = ${map.projectId} and debug_id = ${map.debugId} and deleted_at is null`
  await tx`
    insert into error_source_maps (id, account_id, project_id, debug_id, upload_id, file, release,
      packed, read_bytes, uploaded_at, used_at)
    values (${map.id}, ${map.accountId}, ${map.projectId}, ${map.debugId}, ${map.uploadId},
      ${map.file}, ${map.release}, ${Buffer.from(map.packed)}, ${map.readBytes}, ${at}, ${at})`
}

/** The uploads of a project, newest first, and their total. */
export const findSourceMapUploads = async (
  db: Connection,
  accountId: string,
  projectId: string,
  limit: number,
): Promise<{ uploads: SourceMapUpload[]; total: number }> => {
  const rows = await db<
    {
      upload_id: string
      uploaded_at: Date
      used_at: Date
      release: string | null
      bytes: string
      files: number
      maps: SourceMapUpload['maps']
      total: number
    }[]
  >`select upload_id, min(uploaded_at) as uploaded_at, max(used_at) as used_at,
      min(release) as release, sum(octet_length(packed)) as bytes, count(*)::integer as files,
      to_jsonb((array_agg(jsonb_build_object('file', file, 'debugId', debug_id,
        'bytes', octet_length(packed)) order by file, debug_id))[1:${sourceMapsListedMax}]) as maps,
      count(*) over ()::integer as total
    from error_source_maps
    where project_id = ${projectId} and account_id = ${accountId} and deleted_at is null
    group by upload_id order by min(uploaded_at) desc, upload_id desc limit ${limit}`
  const uploads = rows.map((row) => ({
    id: row.upload_id,
    uploadedAt: row.uploaded_at.toISOString(),
    release: row.release,
    usedAt: row.used_at > row.uploaded_at ? row.used_at.toISOString() : null,
    bytes: Number(row.bytes),
    files: row.files,
    maps: row.maps,
  }))
  return { uploads, total: rows[0]?.total ?? 0 }
}

/** @returns the number of maps of the upload */
export const deleteSourceMapUpload = async (
  tx: Transaction,
  { accountId, projectId, uploadId }: { accountId: string; projectId: string; uploadId: string },
  nowMs: number,
): Promise<number> => {
  const { count } = await tx`
    update error_source_maps set deleted_at = ${new Date(nowMs)}
    where project_id = ${projectId} and upload_id = ${uploadId} and account_id = ${accountId}
      and deleted_at is null`
  return count
}

/** The current map of a debug id. `bytes` is its approximate memory. */
type FoundSourceMap = { projectId: string; debugId: string; id: string; bytes: number }

/** The current maps of these debug ids. Stores their last use, with a precision of one day. */
export const useSourceMaps = async (
  tx: Transaction,
  wanted: readonly { projectId: string; debugId: string }[],
  nowMs: number,
): Promise<FoundSourceMap[]> => {
  if (wanted.length === 0) return []
  const rows = await tx<{ project_id: string; debug_id: string; id: string; bytes: string; used_at: Date }[]>`
    select map.project_id, map.debug_id, map.id, map.read_bytes as bytes, map.used_at
    from jsonb_to_recordset(${tx.json(wanted.map((each) => ({ ...each })))})
        as w ("projectId" uuid, "debugId" uuid)
      join error_source_maps map
        on map.project_id = w."projectId" and map.debug_id = w."debugId" and deleted_at is null`
  const stale = rows.filter((row) => nowMs - row.used_at.getTime() > 86_400_000).map(({ id }) => id)
  if (stale.length > 0) {
    await tx`
      update error_source_maps set used_at = ${new Date(nowMs)} where id = any(${stale}::uuid[])`
  }
  return rows.map((row) => ({
    projectId: row.project_id,
    debugId: row.debug_id,
    id: row.id,
    bytes: Number(row.bytes),
  }))
}

/** The compressed text of a map, also of a deleted one; null if its project was deleted. */
export const findPackedMap = async (db: Connection, id: string): Promise<Uint8Array | null> => {
  const [row] = await db<{ packed: Uint8Array }[]>`
    select packed from error_source_maps where id = ${id}`
  return row?.packed ?? null
}

/** Deletes maps without a use since an instant, at most `limit`. @returns the number of deleted maps */
export const deleteUnusedMaps = async (
  sql: Connection,
  usedBeforeMs: number,
  nowMs: number,
  limit: number,
): Promise<number> => {
  const { count } = await sql`
    update error_source_maps set deleted_at = ${new Date(nowMs)} where id in (
      select id from error_source_maps
      where deleted_at is null and used_at < ${new Date(usedBeforeMs)} limit ${limit})`
  return count
}

/**
 * Purges deleted maps, except those of recorded batches.
 * @param beforeMs old enough that no running transaction records a batch with them
 */
export const purgeSourceMaps = async (sql: Connection, beforeMs: number, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from error_source_maps where id in (
      select id from error_source_maps map
      where deleted_at < ${new Date(beforeMs)} and not exists (
        select from error_batches, jsonb_array_elements(source_maps) as used
        where used ->> 2 = map.id::text)
      limit ${limit})`
  return count
}
