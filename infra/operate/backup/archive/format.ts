import { z } from 'zod'
import { Region } from '@probe-mesh/contracts/reading/regions'

/**
 * An archive is one file: a line that says what it is, a line of JSON that says how it is sealed, and
 * frames, each with its length before it. A frame is a byte for its kind and what it holds, packed and
 * sealed. A part is its head, then its data; the last frame is the manifest, and nothing follows it.
 */
export const magic = 'probe-mesh backup\n'
export const formatVersion = 1
export const headerBytesMax = 4_096
export const lengthBytes = 4
/** Of one frame, before it is packed and after. */
export const frameBytesMax = 96 * 1024 * 1024

export const frameKinds = { part: 1, data: 2, manifest: 3 } as const
export type FrameKind = keyof typeof frameKinds

export const Header = z.object({ format: z.int().min(1), salt: z.base64(), check: z.base64() })
export type Header = z.infer<typeof Header>

const Count = z.int().min(0)
const Name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/)

/** What a part is of. Columns in the order in which its data has them. */
export const PartHead = z.discriminatedUnion('store', [
  z.object({ store: z.literal('postgres'), name: Name, columns: z.array(Name).min(1) }),
  z.object({ store: z.literal('clickhouse'), name: Name, columns: z.array(Name).min(1) }),
  z.object({ store: z.literal('file'), name: z.string().regex(/^[\w./@-]{1,200}$/) }),
])
export type PartHead = z.infer<typeof PartHead>

const Part = z.object({
  store: PartHead.options[0].shape.store.or(z.enum(['clickhouse', 'file'])),
  name: z.string(),
  /** Of tables; null of files. */
  rows: Count.nullable(),
  bytes: Count,
  /** Of its data as it was before it was packed. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type Part = z.infer<typeof Part>

/** What an archive holds, and of which versions: written last, when all of it is known. */
export const Manifest = z.object({
  format: z.literal(formatVersion),
  /** The version of the product that wrote it. */
  product: z.string(),
  /** The instant that it is of, ISO 8601. */
  takenAt: z.iso.datetime(),
  regions: z.array(Region),
  postgres: z.object({
    version: z.string(),
    migrations: z.array(z.string()).min(1),
    /** Numbers that identity columns have given, by sequence; null: none yet. */
    sequences: z.array(z.object({ name: Name, last: Count.nullable() })),
  }),
  /** null: readings were left out. */
  clickhouse: z.object({ version: z.string(), migrations: z.array(z.string()).min(1) }).nullable(),
  /** Error batches that were under way: each is finished or given up by whoever starts next. */
  errorBatchesOpen: Count,
  parts: z.array(Part),
})
export type Manifest = z.infer<typeof Manifest>
