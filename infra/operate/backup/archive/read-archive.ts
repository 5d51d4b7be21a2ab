import { codeOf } from '@probe-mesh/runtime/errors'
import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import {
  Header,
  Manifest,
  PartHead,
  formatVersion,
  frameBytesMax,
  frameKinds,
  headerBytesMax,
  lengthBytes,
  magic,
  type Part,
} from './format.ts'
import { createSeal } from './seal.ts'

const unpack = promisify(zstdDecompress)

type ArchivePiece =
  | { kind: 'part'; head: PartHead }
  | { kind: 'data'; bytes: Buffer }
  | { kind: 'manifest'; manifest: Manifest }

export type ArchiveReader = {
  /** All pieces, in order. @throws ArchiveDamaged at the first damaged frame */
  pieces(): AsyncGenerator<ArchivePiece>
  close(): Promise<void>
}

export type OpenedArchive = { ok: true; archive: ArchiveReader } | { ok: false; problem: string }

/** The file is truncated, changed or unfinished. */
export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged'
}

/** Opens an archive with the secret that encrypted it. */
export const openArchive = async (
  path: string,
  secret: string,
  makeSeal = createSeal,
): Promise<OpenedArchive> => {
  const file = await open(path, 'r').catch((error: unknown) => readErrorText(error))
  if (typeof file === 'string') return no(`${path} cannot be read: ${file}`)
  const opened = await begin(file, secret, makeSeal)
  if (!opened.ok) {
    await file.close()
    return no(`${path} ${opened.problem}`)
  }
  return opened
}

const readErrorText = (error: unknown): string => {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'the file does not exist. Set --from to the path of a backup'
  if (code === 'EACCES') return 'this user has no permission to read it'
  return String(error)
}

const no = (problem: string): { ok: false; problem: string } => ({ ok: false, problem })

const begin = async (
  file: FileHandle,
  secret: string,
  makeSeal: typeof createSeal,
): Promise<OpenedArchive> => {
  const start = Buffer.alloc(headerBytesMax)
  const { bytesRead } = await file.read(start, 0, start.length, 0)
  const text = start.subarray(0, bytesRead)
  if (!text.subarray(0, magic.length).equals(Buffer.from(magic))) return no('is not a Probe Mesh backup')
  const end = text.indexOf('\n', magic.length)
  const json = end < 0 ? null : jsonOf(text.toString('utf8', magic.length, end))
  const header = Header.safeParse(json)
  if (!header.success) return no('has a damaged header')
  if (header.data.format > formatVersion) {
    return no(
      `has format ${header.data.format}; this version reads formats up to ${formatVersion}. Restore it with a newer version`,
    )
  }
  const seal = await makeSeal(secret, Buffer.from(header.data.salt, 'base64'))
  if (seal.check !== header.data.check) {
    return no('was written with another key. Use the key that was set when the backup was made')
  }
  const headerBytes = text.subarray(0, end + 1)
  return {
    ok: true,
    archive: { pieces: () => piecesOf(file, headerBytes, seal), close: () => file.close() },
  }
}

const piecesOf = async function* (
  file: FileHandle,
  header: Buffer,
  seal: Awaited<ReturnType<typeof createSeal>>,
): AsyncGenerator<ArchivePiece> {
  let at = header.length
  for (let frame = 0; ; frame++) {
    const length = await readExactly(file, at, lengthBytes)
    if (length === null) throw new ArchiveDamaged('the file is truncated')
    const sealedBytes = length.readUInt32BE()
    if (sealedBytes > frameBytesMax) throw changed(at)
    const sealed = await readExactly(file, at + lengthBytes, sealedBytes)
    if (sealed === null) throw new ArchiveDamaged('the file is truncated')
    const plain = seal.open(frame, header, sealed)
    if (plain === null) throw changed(at)
    at += lengthBytes + sealedBytes
    const payload = await unpack(plain.subarray(1), { maxOutputLength: frameBytesMax })
    switch (plain[0]) {
      case frameKinds.part:
        yield { kind: 'part', head: PartHead.parse(jsonOf(payload.toString())) }
        break
      case frameKinds.data:
        yield { kind: 'data', bytes: payload }
        break
      case frameKinds.manifest: {
        if ((await readExactly(file, at, 1)) !== null) throw changed(at)
        yield { kind: 'manifest', manifest: Manifest.parse(jsonOf(payload.toString())) }
        return
      }
      default:
        throw changed(at)
    }
  }
}

const changed = (at: number): ArchiveDamaged =>
  new ArchiveDamaged(`the file was changed at byte ${at} or later`)

const readExactly = async (file: FileHandle, at: number, bytes: number): Promise<Buffer | null> => {
  const buffer = Buffer.alloc(bytes)
  let have = 0
  while (have < bytes) {
    const { bytesRead } = await file.read(buffer, have, bytes - have, at + have)
    if (bytesRead === 0) return null
    have += bytesRead
  }
  return buffer
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Reads a whole archive, so that a restore never starts from a damaged one.
 * @returns the manifest, which matches the content
 * @throws ArchiveDamaged for a damaged frame, or a part that differs from the manifest
 */
export const verifyArchive = async (archive: ArchiveReader): Promise<Manifest> => {
  const found: { head: PartHead; bytes: number; hash: ReturnType<typeof createHash> }[] = []
  for await (const piece of archive.pieces()) {
    if (piece.kind === 'part') found.push({ head: piece.head, bytes: 0, hash: createHash('sha256') })
    else if (piece.kind === 'data') {
      const part = found.at(-1)
      if (part === undefined) throw new ArchiveDamaged('it has data that belongs to no part')
      part.bytes += piece.bytes.length
      part.hash.update(piece.bytes)
    } else {
      const content = found.map(({ head, bytes, hash }) => ({
        head,
        bytes,
        sha256: hash.digest('hex'),
      }))
      const differs = firstDifference(piece.manifest.parts, content)
      if (differs !== null) throw new ArchiveDamaged(`${differs} differs from the manifest`)
      return piece.manifest
    }
  }
  throw new ArchiveDamaged('the file is truncated')
}

const firstDifference = (
  expected: readonly Part[],
  content: readonly { head: PartHead; bytes: number; sha256: string }[],
): string | null => {
  if (expected.length !== content.length) return 'the list of its parts'
  for (const [at, part] of expected.entries()) {
    const one = content[at]
    const isSame =
      one?.head.store === part.store &&
      one.head.name === part.name &&
      one.bytes === part.bytes &&
      one.sha256 === part.sha256
    if (!isSame) return `${part.store} ${part.name}`
  }
  return null
}
