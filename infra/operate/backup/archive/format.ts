import { z } from 'zod'
import { Region } from '@probe-mesh/contracts/reading/regions'

/**
 * An archive is a tar of small entries, compressed with zstd and encrypted by age with a passphrase, so that
 * `age -d FILE | zstd -d | tar x` opens it. A table is `STORE/TABLE/columns.json` and pieces of whole rows,
 * `STORE/TABLE/000001.tsv`; a file is `file/NAME`. The last entry is `manifest.json`.
 */
export const formatVersion = 2
export const manifestName = 'manifest.json'
/** Bytes of one entry. */
export const entryBytesMax = 96 * 1024 * 1024

const Count = z.int().min(0)
const Name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/)

/** The source of a part. Columns are in the order of its data. */
export const PartHead = z.discriminatedUnion('store', [
  z.object({ store: z.enum(['postgres', 'clickhouse']), name: Name, columns: z.array(Name).min(1) }),
  z.object({ store: z.literal('file'), name: z.string().regex(/^[\w./@-]{1,200}$/) }),
])
export type PartHead = z.infer<typeof PartHead>
export type TableHead = Exclude<PartHead, { store: 'file' }>

const Part = z.object({
  store: z.enum(['postgres', 'clickhouse', 'file']),
  name: z.string(),
  /** null: the part is a file. */
  rows: Count.nullable(),
  bytes: Count,
  /** Of the uncompressed data. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type Part = z.infer<typeof Part>

/** The content of an archive and the versions it comes from. */
export const Manifest = z.object({
  /** 1: the archive before tar. */
  format: z.literal([1, formatVersion]),
  /** The version of the product that wrote it. */
  product: z.string(),
  /** The instant of the snapshot, ISO 8601. */
  takenAt: z.iso.datetime(),
  regions: z.array(Region),
  postgres: z.object({
    version: z.string(),
    migrations: z.array(z.string()).min(1),
    /** The last number of each identity sequence; null: not used yet. */
    sequences: z.array(z.object({ name: Name, last: Count.nullable() })),
  }),
  /** null: readings were left out. */
  clickhouse: z.object({ version: z.string(), migrations: z.array(z.string()).min(1) }).nullable(),
  /** Unfinished error batches. The next control plane finishes or abandons them. */
  errorBatchesOpen: Count,
  parts: z.array(Part),
})
export type Manifest = z.infer<typeof Manifest>

export type ArchivePiece =
  | { kind: 'part'; head: PartHead }
  | { kind: 'data'; bytes: Buffer }
  | { kind: 'manifest'; manifest: Manifest }

/** An archive that cannot be restored. The message continues a sentence that begins with its path. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
}

/** The file is truncated, changed or unfinished. */
export const damaged = (why: string): ArchiveRefused =>
  new ArchiveRefused(`is damaged: ${why}. Use another backup`)
