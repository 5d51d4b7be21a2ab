import { createDecipheriv, createHash, hkdfSync, scryptSync } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import {
  damaged,
  entryBytesMax,
  Manifest,
  PartHead,
  type ArchivePiece,
  type ArchiveRefused,
} from './format.ts'

/**
 * Reads backups of 5db879e6. Delete it with its test when nobody upgrades from there.
 *
 * Such a file is a magic line, a JSON header with the parameters of the encryption, and frames with a length
 * prefix. A frame is a kind byte and a payload compressed with zstd, sealed by AES-256-GCM with its number.
 */
export const magicOfFormat1 = 'probe-mesh backup\n'

const Header = z.object({ format: z.literal(1), salt: z.base64(), check: z.base64() })
const lengthBytes = 4
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16]
const scryptCost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
const kinds = { part: 1, data: 2, manifest: 3 } as const

/**
 * @param start the first bytes of the file, with its whole header
 * @returns null for another key
 * @throws Error for a damaged header
 */
export const openFormat1 = (
  file: FileHandle,
  start: Buffer,
  secret: string,
): (() => AsyncGenerator<ArchivePiece>) | null => {
  const end = start.indexOf('\n', magicOfFormat1.length) + 1
  const header = Header.parse(JSON.parse(start.toString('utf8', magicOfFormat1.length, end)))
  const salt = Buffer.from(header.salt, 'base64')
  const root = scryptSync(secret, salt, keyBytes, scryptCost)
  const keyOf = (name: string): Buffer => Buffer.from(hkdfSync('sha256', root, salt, name, keyBytes))
  if (keyOf('check').toString('base64') !== header.check) return null
  const key = keyOf('frames')
  return () => piecesOf(file, start.subarray(0, end), key)
}

const piecesOf = async function* (
  file: FileHandle,
  header: Buffer,
  key: Buffer,
): AsyncGenerator<ArchivePiece> {
  const context = createHash('sha256').update(header).digest()
  let at = header.length
  for (let frame = 0; ; frame++) {
    const sealedBytes = (await readExactly(file, at, lengthBytes)).readUInt32BE()
    if (sealedBytes > entryBytesMax || sealedBytes < tagBytes) throw changed(at)
    const sealed = await readExactly(file, at + lengthBytes, sealedBytes)
    const nonce = Buffer.alloc(nonceBytes)
    nonce.writeBigUInt64BE(BigInt(frame), nonceBytes - 8)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    decipher.setAAD(context)
    decipher.setAuthTag(sealed.subarray(sealedBytes - tagBytes))
    const plain = decipher.update(sealed.subarray(0, sealedBytes - tagBytes))
    try {
      decipher.final()
    } catch {
      throw changed(at)
    }
    at += lengthBytes + sealedBytes
    const payload = zstdDecompressSync(plain.subarray(1), { maxOutputLength: entryBytesMax })
    if (plain[0] === kinds.part) yield { kind: 'part', head: PartHead.parse(JSON.parse(payload.toString())) }
    else if (plain[0] === kinds.data) yield { kind: 'data', bytes: payload }
    else if (plain[0] === kinds.manifest) {
      if ((await file.read(Buffer.alloc(1), 0, 1, at)).bytesRead > 0) throw changed(at)
      yield { kind: 'manifest', manifest: Manifest.parse(JSON.parse(payload.toString())) }
      return
    } else throw changed(at)
  }
}

const changed = (at: number): ArchiveRefused => damaged(`the file was changed at byte ${at} or later`)

const readExactly = async (file: FileHandle, at: number, bytes: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(bytes)
  for (let have = 0; have < bytes;) {
    const { bytesRead } = await file.read(buffer, have, bytes - have, at + have)
    if (bytesRead === 0) throw damaged('the file is truncated')
    have += bytesRead
  }
  return buffer
}
