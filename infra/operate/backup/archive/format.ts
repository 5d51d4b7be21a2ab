import { z } from 'zod'
import { Region } from '@probe-mesh/contracts/reading/regions'

/**
 * An archive is one file: a magic line, a JSON header with the parameters of the encryption, and frames
 * with a length prefix. A frame is a kind byte and a payload, compressed and encrypted. A part is a head
 * frame and data frames. The manifest is the last frame.
 */
export const magic = 'probe-mesh backup\n'
export const formatVersion = 1
export const headerBytesMax = 4_096
export const lengthBytes = 4
/** Bytes of one frame, both before and after compression. */
export const frameBytesMax = 96 * 1024 * 1024

export const frameKinds = { part: 1, data: 2, manifest: 3 } as const
export type FrameKind = keyof typeof frameKinds

export const Header = z.object({ format: z.int().min(1), salt: z.base64(), check: z.base64() })
export type Header = z.infer<typeof Header>

const Count = z.int().min(0)
const Name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/)

/** The source of a part. Columns are in the order of its data. */
export const PartHead = z.discriminatedUnion('store', [
  z.object({ store: z.literal('postgres'), name: Name, columns: z.array(Name).min(1) }),
  z.object({ store: z.literal('clickhouse'), name: Name, columns: z.array(Name).min(1) }),
  z.object({ store: z.literal('file'), name: z.string().regex(/^[\w./@-]{1,200}$/) }),
])
export type PartHead = z.infer<typeof PartHead>

const Part = z.object({
  store: PartHead.options[0].shape.store.or(z.enum(['clickhouse', 'file'])),
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
  format: z.literal(formatVersion),
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
