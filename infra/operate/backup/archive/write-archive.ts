import { createHash, hash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Duplex } from 'node:stream'
import { createZstdCompress } from 'node:zlib'
import { Encrypter } from 'age-encryption'
import { createTarPacker } from 'modern-tar'
import {
  entryBytesMax,
  formatVersion,
  manifestName,
  type Manifest,
  type Part,
  type TableHead,
} from './format.ts'
import { syncFolder } from '../../../start/embedded/sync-folder.ts'

const ownerOnly = 0o600
/** 128 MiB and about a second per guess (RFC 7914; OWASP's strongest setting), as a power of 2. */
const scryptWorkFactor = 17

export type ArchiveWriter = {
  /**
   * Writes a table. Each chunk becomes one entry of at most `entryBytesMax`.
   * @param chunks have whole rows
   * @param countRows counts the rows of a chunk
   */
  table(
    head: TableHead,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    countRows: (chunk: Uint8Array) => number,
  ): Promise<Part>
  file(name: string, bytes: Uint8Array): Promise<Part>
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
export const openArchiveWriter = async (
  path: string,
  secret: string,
  workFactor = scryptWorkFactor,
): Promise<ArchiveWriter> => {
  if (await isThere(path)) throw new Error(`${path} exists. Choose another name`)
  const encrypter = new Encrypter()
  encrypter.setPassphrase(secret)
  encrypter.setScryptWorkFactor(workFactor)
  const draft = `${path}.${process.pid}.unfinished`
  const file = await open(draft, 'wx', ownerOnly)
  const { readable, controller } = createTarPacker()
  const writeAll = async (): Promise<void> => {
    const encrypted = await encrypter.encrypt(readable.pipeThrough(Duplex.toWeb(createZstdCompress())))
    await encrypted.pipeTo(new WritableStream({ write: (bytes: Uint8Array) => file.writeFile(bytes) }))
  }
  const written = writeAll()
  // a full disk fails the entry that is being written
  written.catch((error: unknown) => controller.error(error))
  const parts: Part[] = []
  let isOpen = true

  const addEntry = async (name: string, bytes: Uint8Array): Promise<void> => {
    if (bytes.length > entryBytesMax) throw new Error(`an entry of ${bytes.length} bytes is too large`)
    const body = controller.add({ name, size: bytes.length, mode: ownerOnly }).getWriter()
    await body.write(bytes)
    await body.close()
  }
  const addJson = (name: string, value: unknown): Promise<void> =>
    addEntry(name, Buffer.from(`${JSON.stringify(value, null, 2)}\n`))
  return {
    table: async ({ store, name, columns }, chunks, countRows) => {
      await addJson(`${store}/${name}/columns.json`, columns)
      const digest = createHash('sha256')
      let [pieces, bytes, rows] = [0, 0, 0]
      for await (const chunk of chunks) {
        if (chunk.length === 0) continue
        digest.update(chunk)
        bytes += chunk.length
        rows += countRows(chunk)
        await addEntry(`${store}/${name}/${String(++pieces).padStart(6, '0')}.tsv`, chunk)
      }
      const part: Part = { store, name, rows, bytes, sha256: digest.digest('hex') }
      parts.push(part)
      return part
    },
    file: async (name, bytes) => {
      await addEntry(`file/${name}`, bytes)
      const sha256 = hash('sha256', bytes)
      const part: Part = { store: 'file', name, rows: null, bytes: bytes.length, sha256 }
      parts.push(part)
      return part
    },
    finish: async (manifest) => {
      const whole: Manifest = { ...manifest, format: formatVersion, parts }
      await addJson(manifestName, whole)
      controller.finalize()
      await written
      await file.sync()
      const { size } = await file.stat()
      isOpen = false
      await file.close()
      if (await isThere(path)) {
        await rm(draft, { force: true })
        throw new Error(`${path} was created meanwhile. Choose another name`)
      }
      await rename(draft, path)
      await syncFolder(dirname(path))
      return size
    },
    abandon: async () => {
      if (!isOpen) return
      isOpen = false
      controller.error(new Error('the backup was abandoned'))
      await written.catch(() => undefined)
      await file.close()
      await rm(draft, { force: true })
    },
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
