import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import {
  formatVersion,
  frameBytesMax,
  frameKinds,
  lengthBytes,
  magic,
  type FrameKind,
  type Manifest,
  type Part,
  type PartHead,
} from './format.ts'
import { createSeal, saltBytes } from './seal.ts'
import { syncFolder } from '../../../start/embedded/sync-folder.ts'

const pack = promisify(zstdCompress)
const ownerOnly = 0o600

export type ArchiveWriter = {
  /**
   * Writes a part. Each chunk becomes one frame of at most `frameBytesMax`.
   * @param countRows counts the rows of a chunk; absent: the part is a file
   */
  part(
    head: PartHead,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    countRows?: (chunk: Uint8Array) => number,
  ): Promise<Part>
  /** Writes the manifest and renames the draft to its final name. @returns the archive's bytes */
  finish(manifest: Omit<Manifest, 'parts' | 'format'>): Promise<number>
  /** Deletes the draft. Does nothing after `finish`. */
  abandon(): Promise<void>
}

/**
 * Starts an archive. A draft gets the final name only when it is complete and synced, so a file with
 * that name can always be restored. An existing file is never overwritten.
 * @throws Error for a file that exists or cannot be created
 */
export const openArchiveWriter = async (path: string, secret: string): Promise<ArchiveWriter> => {
  if (await isThere(path)) throw new Error(`${path} exists. Choose another name`)
  const salt = randomBytes(saltBytes)
  const seal = await createSeal(secret, salt)
  const header = Buffer.from(
    `${magic}${JSON.stringify({ format: formatVersion, salt: salt.toString('base64'), check: seal.check })}\n`,
  )
  const draft = `${path}.${process.pid}.unfinished`
  const file = await open(draft, 'wx', ownerOnly)
  const parts: Part[] = []
  let frames = 0
  let bytes = 0
  let isOpen = true

  const write = async (data: Uint8Array): Promise<void> => {
    await file.writeFile(data)
    bytes += data.length
  }
  const writeFrame = async (kind: FrameKind, payload: Uint8Array): Promise<void> => {
    if (payload.length > frameBytesMax) throw new Error(`a frame of ${payload.length} bytes is too large`)
    const plain = Buffer.concat([Buffer.of(frameKinds[kind]), await pack(payload)])
    const sealed = seal.seal(frames++, header, plain)
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32BE(sealed.length)
    await write(Buffer.concat([length, sealed]))
  }
  const abandon = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await file.close()
    await rm(draft, { force: true })
  }
  try {
    await write(header)
  } catch (error) {
    await abandon()
    throw error
  }
  return {
    part: async (head, chunks, countRows) => {
      await writeFrame('part', Buffer.from(JSON.stringify(head)))
      const hash = createHash('sha256')
      let partBytes = 0
      let rows = 0
      for await (const chunk of chunks) {
        if (chunk.length === 0) continue
        hash.update(chunk)
        partBytes += chunk.length
        rows += countRows?.(chunk) ?? 0
        await writeFrame('data', chunk)
      }
      const part: Part = {
        store: head.store,
        name: head.name,
        rows: countRows === undefined ? null : rows,
        bytes: partBytes,
        sha256: hash.digest('hex'),
      }
      parts.push(part)
      return part
    },
    finish: async (manifest) => {
      const whole: Manifest = { ...manifest, format: formatVersion, parts }
      await writeFrame('manifest', Buffer.from(JSON.stringify(whole)))
      await file.sync()
      isOpen = false
      await file.close()
      if (await isThere(path)) {
        await rm(draft, { force: true })
        throw new Error(`${path} was created meanwhile. Choose another name`)
      }
      await rename(draft, path)
      await syncFolder(dirname(path))
      return bytes
    },
    abandon,
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
