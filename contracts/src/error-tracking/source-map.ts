import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/text.ts'

const mebibyte = 1024 * 1024

/** Bounds of source maps, of any tier. A request must arrive within 15 s, so chunks are small. */
export const sourceMapLimits = {
  chunkBytesMax: 2 * mebibyte,
  chunksPerRequestMax: 2,
  /** One upload of `sentry-cli`, which is a zip. */
  bundleBytesMax: 32 * mebibyte,
  /** Files in it. */
  bundleFilesMax: 2_000,
  /** Of all files in it together, unpacked. */
  bundleUnpackedBytesMax: 256 * mebibyte,
  /** One map, unpacked. */
  mapUnpackedBytesMax: 32 * mebibyte,
  /** Of an account, packed as they are kept; deleted ones count until they are purged. */
  accountBytesMax: 512 * mebibyte,
  accountMapsMax: 10_000,
  /** Of an account, uploaded and not put together yet. */
  accountChunkBytesMax: 64 * mebibyte,
  chunkAgeMsMax: 24 * 3_600_000,
  /** A map that no event needed for so long is deleted. */
  unusedDaysMax: 90,
} as const

/** What one `sentry-cli sourcemaps upload` brought. */
export const SourceMapUpload = z.object({
  id: z.string(),
  uploadedAt: Instant,
  /** As the upload named it; maps are found by debug ids, whatever the release. */
  release: z.string().nullable(),
  /** When an event was last read by one of them; null for never. A day may pass until it is noted. */
  usedAt: Instant.nullable(),
  /** As they are kept. */
  bytes: z.int().min(0),
  /** How many there are; `maps` may hold fewer. */
  files: z.int().min(0),
  /** By file name. */
  maps: z.array(z.object({ file: z.string(), debugId: z.string(), bytes: z.int().min(0) })),
})
export type SourceMapUpload = z.infer<typeof SourceMapUpload>

/** Uploads that a list holds, and maps of each. */
export const sourceMapUploadsMax = 100
export const sourceMapsListedMax = 50

export const SourceMaps = z.object({
  /** Newest first, `sourceMapUploadsMax` at the most. */
  uploads: z.array(SourceMapUpload),
  /** How many there are of the project. */
  total: z.int().min(0),
  /** Of the account's bound, by all its projects. */
  bytesUsed: z.int().min(0),
  bytesMax: z.int().min(0),
  asOf: Instant,
})
export type SourceMaps = z.infer<typeof SourceMaps>

export const SourceMapUploadParams = z.object({ id: Uuid, uploadId: Uuid })
