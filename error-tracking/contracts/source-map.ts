import { z } from 'zod'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { Instant } from '@probe-mesh/contracts/schema/text'

const mebibyte = 1024 * 1024

/** Limits of source maps, on all plans. A request must arrive within 15 s, so chunks are small. */
export const sourceMapLimits = {
  chunkBytesMax: 2 * mebibyte,
  chunksPerRequestMax: 2,
  /** One upload of `sentry-cli`, which is a zip. */
  bundleBytesMax: 32 * mebibyte,
  /** Files in one upload. */
  bundleFilesMax: 2_000,
  /** All files of one upload, unpacked. */
  bundleUnpackedBytesMax: 256 * mebibyte,
  /** One map, unpacked. */
  mapUnpackedBytesMax: 32 * mebibyte,
  /** Compressed size of an account's maps. Deleted ones count until the purge. */
  accountBytesMax: 512 * mebibyte,
  accountMapsMax: 10_000,
  /** Uploaded chunks of an account that are not assembled yet. */
  accountChunkBytesMax: 64 * mebibyte,
  chunkAgeMsMax: 24 * 3_600_000,
  /** A map is deleted after this time without use. */
  unusedDaysMax: 90,
} as const

/** The upload of one `sentry-cli sourcemaps upload`. */
export const SourceMapUpload = z.object({
  id: z.string(),
  uploadedAt: Instant,
  /** The release in the upload. Maps are found by debug id, independent of the release. */
  release: z.string().nullable(),
  /** The last use of one of its maps for an event, up to a day late; null for never. */
  usedAt: Instant.nullable(),
  /** Compressed size. */
  bytes: z.int().min(0),
  /** Total number; `maps` may list fewer. */
  files: z.int().min(0),
  /** Sorted by file name. */
  maps: z.array(z.object({ file: z.string(), debugId: z.string(), bytes: z.int().min(0) })),
})
export type SourceMapUpload = z.infer<typeof SourceMapUpload>

/** Listed uploads, and listed maps of each. */
export const sourceMapUploadsMax = 100
export const sourceMapsListedMax = 50

export const SourceMaps = z.object({
  /** Newest first, at most `sourceMapUploadsMax`. */
  uploads: z.array(SourceMapUpload),
  /** Number of uploads of the project. */
  total: z.int().min(0),
  /** Used space of the account, over all its projects. */
  bytesUsed: z.int().min(0),
  bytesMax: z.int().min(0),
  asOf: Instant,
})
export type SourceMaps = z.infer<typeof SourceMaps>

export const SourceMapUploadParams = z.object({ id: Uuid, uploadId: Uuid })
