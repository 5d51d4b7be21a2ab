import { codeOf } from '@probe-mesh/runtime/errors'
import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { createZstdDecompress } from 'node:zlib'
import { Decrypter } from 'age-encryption'
import { createTarDecoder } from 'modern-tar'
import { z } from 'zod'
import {
  ArchiveRefused,
  damaged,
  entryBytesMax,
  formatVersion,
  Manifest,
  manifestName,
  PartHead,
  type ArchivePiece,
  type TableHead,
} from './format.ts'
import { magicOfFormat1, openFormat1 } from './read-format-1.ts'

/** A file outside the databases, by its name in the archive: `data/...` or `nats/...`. */
export type KeptFile = { name: string; bytes: Uint8Array }

const magic = 'age-encryption.org/v1\n'
/** A header of age with a passphrase has about 160 bytes. */
const headerBytesMax = 4_096
const blockBytes = 1024 * 1024

export type ArchiveReader = {
  /** All pieces, in order. @throws ArchiveRefused at the first damaged piece */
  pieces(): AsyncGenerator<ArchivePiece>
  close(): Promise<void>
}

export type OpenedArchive = { ok: true; archive: ArchiveReader } | { ok: false; problem: string }

/** Opens an archive with the secret that encrypted it. */
export const openArchive = async (path: string, secret: string): Promise<OpenedArchive> => {
  const file = await open(path, 'r').catch((error: unknown) => readErrorText(error))
  if (typeof file === 'string') return { ok: false, problem: `${path} cannot be read: ${file}` }
  const pieces = await begin(file, secret)
  if (typeof pieces !== 'string') return { ok: true, archive: { pieces, close: () => file.close() } }
  await file.close()
  return { ok: false, problem: `${path} ${problems[pieces]}` }
}

const problems = {
  'no backup': 'is not a Probe Mesh backup',
  'damaged header': 'has a damaged header',
  'another key': 'was written with another key. Use the key that was set when the backup was made',
}

const readErrorText = (error: unknown): string => {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'the file does not exist. Set --from to the path of a backup'
  if (code === 'EACCES') return 'this user has no permission to read it'
  return String(error)
}

const begin = async (
  file: FileHandle,
  secret: string,
): Promise<ArchiveReader['pieces'] | keyof typeof problems> => {
  const { buffer: block, bytesRead } = await file.read(Buffer.alloc(headerBytesMax), 0, headerBytesMax, 0)
  const start = block.subarray(0, bytesRead)
  const begins = (line: string): boolean => start.subarray(0, line.length).equals(Buffer.from(line))
  if (!begins(magic) && !begins(magicOfFormat1)) return 'no backup'
  try {
    if (begins(magicOfFormat1)) return openFormat1(file, start, secret) ?? 'another key'
    const decrypter = new Decrypter()
    decrypter.addPassphrase(secret)
    const fileKey = await decrypter.decryptHeader(start)
    return () => piecesOf(file, fileKey)
  } catch (error) {
    return /no identity matched/.test(String(error)) ? 'another key' : 'damaged header'
  }
}

const piecesOf = async function* (file: FileHandle, fileKey: Uint8Array): AsyncGenerator<ArchivePiece> {
  const decrypter = new Decrypter()
  decrypter.addIdentity({ unwrapFileKey: () => fileKey })
  try {
    const plain = await decrypter.decrypt(ReadableStream.from(blocksOf(file)))
    const entries = plain
      .pipeThrough(Duplex.toWeb(createZstdDecompress()))
      .pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of entries) {
      if (header.size > entryBytesMax) throw damaged(`${header.name} has ${header.size} bytes`)
      yield* piecesOfEntry(header.name, await buffer(body))
    }
  } catch (error) {
    // a disk that fails is no damage of the file
    if (error instanceof ArchiveRefused || (error instanceof Error && 'syscall' in error)) throw error
    throw damaged('the file is truncated or was changed')
  }
}

const blocksOf = async function* (file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const block = await file.read(Buffer.allocUnsafe(blockBytes), 0, blockBytes, at)
    if (block.bytesRead === 0) return
    at += block.bytesRead
    yield block.buffer.subarray(0, block.bytesRead)
  }
}

const tableEntry = /^(postgres|clickhouse)\/([^/]+)\/(columns\.json|\d{6,}\.tsv)$/

const piecesOfEntry = function* (name: string, bytes: Buffer): Generator<ArchivePiece> {
  const [, store, table, file = ''] = tableEntry.exec(name) ?? []
  if (name === manifestName) yield { kind: 'manifest', manifest: manifestOf(bytes) }
  else if (name.startsWith('file/')) {
    yield { kind: 'part', head: PartHead.parse({ store: 'file', name: name.slice('file/'.length) }) }
    yield { kind: 'data', bytes }
  } else if (file === 'columns.json') {
    const columns: unknown = JSON.parse(bytes.toString())
    yield { kind: 'part', head: PartHead.parse({ store, name: table, columns }) }
  } else if (file !== '') yield { kind: 'data', bytes }
  else throw newer(`has the entry ${name}, which this version does not know`)
}

const newer = (what: string): ArchiveRefused => new ArchiveRefused(`${what}. Restore it with a newer version`)

const manifestOf = (bytes: Buffer): Manifest => {
  const json: unknown = JSON.parse(bytes.toString())
  const { format } = z.object({ format: z.int().min(1) }).parse(json)
  if (format > formatVersion) {
    throw newer(`has format ${format}; this version reads formats up to ${formatVersion}`)
  }
  return Manifest.parse(json)
}

export type Verified = { manifest: Manifest; tables: TableHead[]; files: KeptFile[] }

/**
 * Reads a whole archive, so that a restore never starts from a damaged one.
 * @returns the manifest, which matches the content, the tables of Postgres, and the files
 * @throws ArchiveRefused for a damaged piece, or a part that differs from the manifest
 */
export const verifyArchive = async (archive: ArchiveReader): Promise<Verified> => {
  const found: { head: PartHead; bytes: number; hash: ReturnType<typeof createHash> }[] = []
  const files: KeptFile[] = []
  let manifest: Manifest | null = null
  for await (const piece of archive.pieces()) {
    const part = found.at(-1)
    if (manifest !== null) throw damaged('it continues after the manifest')
    if (piece.kind === 'manifest') manifest = piece.manifest
    else if (piece.kind === 'part') {
      const { head } = piece
      found.push({ head, bytes: 0, hash: createHash('sha256') })
      if (head.store === 'file') files.push({ name: head.name, bytes: Buffer.of() })
    } else if (part === undefined) throw damaged('it has data that belongs to no part')
    else {
      part.bytes += piece.bytes.length
      part.hash.update(piece.bytes)
      const kept = files.at(-1)
      if (part.head.store === 'file' && kept !== undefined) kept.bytes = piece.bytes
    }
  }
  if (manifest === null) throw damaged('the file is truncated')
  const content = found.map(({ head, bytes, hash }) => {
    const { store, name } = head
    return { store, name, bytes, rows: null, sha256: hash.digest('hex') }
  })
  const differs = manifest.parts.find((part, at) => !isDeepStrictEqual({ ...part, rows: null }, content[at]))
  if (differs !== undefined) throw damaged(`${differs.store} ${differs.name} differs from the manifest`)
  if (manifest.parts.length !== content.length) throw damaged('it has parts that the manifest lacks')
  const tables = found.flatMap(({ head }) => (head.store === 'postgres' ? [head] : []))
  return { manifest, tables, files }
}
