import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'

/** Bytes of an account's chunks that are not assembled yet. */
export const findChunkBytes = async (db: Connection, accountId: string): Promise<number> => {
  const [row] = await db<{ bytes: string }[]>`
    select coalesce(sum(octet_length(bytes)), 0) as bytes from error_upload_chunks
    where account_id = ${accountId}`
  return Number(row?.bytes ?? 0)
}

/** Inserts a chunk, or renews the upload time of an existing one. @param sha1 40 hexadecimal digits */
export const upsertChunk = async (
  tx: Transaction,
  { accountId, sha1, bytes }: { accountId: string; sha1: string; bytes: Uint8Array },
  nowMs: number,
): Promise<void> => {
  await tx`
    insert into error_upload_chunks (account_id, sha1, bytes, uploaded_at)
    values (${accountId}, decode(${sha1}, 'hex'), ${Buffer.from(bytes)}, ${new Date(nowMs)})
    on conflict (account_id, sha1) do update set uploaded_at = excluded.uploaded_at`
}

/** The size of each of these chunks, by hash. Missing chunks have no entry. */
export const findChunkSizes = async (
  db: Connection,
  accountId: string,
  sha1s: readonly string[],
): Promise<Map<string, number>> => {
  const rows = await db<{ sha1: string; bytes: number }[]>`
    select encode(sha1, 'hex') as sha1, octet_length(bytes) as bytes from error_upload_chunks
    where account_id = ${accountId}
      and sha1 in (select decode(hex, 'hex') from unnest(${[...sha1s]}::text[]) as hex)`
  return new Map(rows.map(({ sha1, bytes }) => [sha1, bytes]))
}

/** One chunk; null if it was deleted. */
export const findChunk = async (
  db: Connection,
  accountId: string,
  sha1: string,
): Promise<Uint8Array | null> => {
  const [row] = await db<{ bytes: Uint8Array }[]>`
    select bytes from error_upload_chunks
    where account_id = ${accountId} and sha1 = decode(${sha1}, 'hex')`
  return row?.bytes ?? null
}

export const deleteChunks = async (
  tx: Transaction,
  accountId: string,
  sha1s: readonly string[],
): Promise<void> => {
  await tx`
    delete from error_upload_chunks where account_id = ${accountId}
      and sha1 in (select decode(hex, 'hex') from unnest(${[...sha1s]}::text[]) as hex)`
}

/** Deletes chunks of abandoned uploads, at most `limit`. @returns the number of deleted chunks */
export const pruneChunks = async (sql: Connection, beforeMs: number, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from error_upload_chunks where (account_id, sha1) in (
      select account_id, sha1 from error_upload_chunks
      where uploaded_at < ${new Date(beforeMs)} limit ${limit})`
  return count
}
