import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { sourceMapLimits } from '../contracts/source-map.ts'
import { lockAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { findChunkBytes, upsertChunk } from './error-upload-chunks-store.ts'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'

/** A chunk in a request. Its name is the SHA-1 of its decompressed content. */
export type SentChunk = { name: string; bytes: Uint8Array; isPacked: boolean }

/**
 * Stores the chunks of one request for a day, all or none. SV-2101 for a chunk that does not match its name,
 * SV-4101 at the account's limit of unfinished uploads.
 */
export const storeChunks = async (
  context: { sql: Sql; now: () => number },
  accountId: string,
  sent: readonly SentChunk[],
): Promise<null | Refusal> => {
  const { chunksPerRequestMax, accountChunkBytesMax } = sourceMapLimits
  if (sent.length > chunksPerRequestMax) {
    return refuse('SV-2101', { message: `A request has at most ${chunksPerRequestMax} chunks.` })
  }
  const chunks: { accountId: string; sha1: string; bytes: Uint8Array }[] = []
  for (const chunk of sent) {
    const bytes = await unpackedOf(chunk)
    const sha1 = bytes === null ? '' : createHash('sha1').update(bytes).digest('hex')
    if (bytes === null || sha1 !== chunk.name.toLowerCase()) {
      return refuse('SV-2101', {
        message: 'A chunk does not match its name: the name is the SHA-1 of the content.',
      })
    }
    chunks.push({ accountId, sha1, bytes })
  }
  return inAccount(context.sql, accountId, async (tx) => {
    // with this lock the sum below stays valid until the insert
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    const used = await findChunkBytes(tx, accountId)
    const more = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
    if (used + more > accountChunkBytesMax) {
      return refuse('SV-4101', {
        message: `The account has more than ${accountChunkBytesMax} bytes of unfinished uploads. Unfinished uploads expire after a day.`,
      })
    }
    for (const chunk of chunks) await upsertChunk(tx, chunk, context.now())
    return null
  })
}

const unpack = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip)

const unpackedOf = async ({ bytes, isPacked }: SentChunk): Promise<Uint8Array | null> => {
  const { chunkBytesMax } = sourceMapLimits
  if (!isPacked) return bytes.length > chunkBytesMax ? null : bytes
  try {
    return await unpack(bytes, { maxOutputLength: chunkBytesMax })
  } catch {
    return null
  }
}
