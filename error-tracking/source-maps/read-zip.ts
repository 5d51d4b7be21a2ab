import { fromBuffer, type Entry, type ZipFile } from 'yauzl'

/** A zip in memory. */
export type Zip = {
  /** The entries by path. Nothing is written to disk. */
  files: ReadonlyMap<string, Entry>
  /** @throws ZipProblem for a broken file, a false size, or more than `bytesMax` */
  unpack(entry: Entry, bytesMax: number): Promise<Buffer>
  close(): void
}

/** @throws ZipProblem with the reason, for users */
export const readZip = async (bytes: Buffer, filesMax: number): Promise<Zip> => {
  const zip = await open(bytes)
  try {
    return {
      files: await list(zip, filesMax),
      unpack: (...of) => unpack(zip, ...of),
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

export class ZipProblem extends Error {
  override readonly name = 'ZipProblem'
}

const problemOf = (error: unknown): ZipProblem =>
  error instanceof ZipProblem
    ? error
    : new ZipProblem(error instanceof Error ? error.message : 'it is broken', { cause: error })

/** The reader rejects absolute paths, paths with `..` or a drive, and false sizes. */
const options = {
  lazyEntries: true,
  autoClose: false,
  decodeStrings: true,
  validateEntrySizes: true,
  strictFileNames: true,
} as const

const open = (bytes: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    fromBuffer(bytes, options, (error, zip) => {
      if (error === null && zip !== undefined) resolve(zip)
      else reject(problemOf(error))
    })
  })

const list = (zip: ZipFile, filesMax: number): Promise<Map<string, Entry>> =>
  new Promise((resolve, reject) => {
    const files = new Map<string, Entry>()
    if (zip.entryCount > filesMax) reject(new ZipProblem(`it has more than ${filesMax} files`))
    zip.on('error', (error) => reject(problemOf(error)))
    zip.on('end', () => resolve(files))
    zip.on('entry', (entry: Entry) => {
      if (files.has(entry.fileName)) {
        reject(new ZipProblem('it has two files of one name'))
        return
      }
      files.set(entry.fileName, entry)
      if (files.size > filesMax) reject(new ZipProblem(`it has more than ${filesMax} files`))
      else zip.readEntry()
    })
    zip.readEntry()
  })

const unpack = async (zip: ZipFile, entry: Entry, bytesMax: number): Promise<Buffer> => {
  if (entry.uncompressedSize > bytesMax) {
    throw new ZipProblem(`a file of it is larger than ${bytesMax} bytes`)
  }
  try {
    const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      zip.openReadStream(entry, (error, opened) => {
        if (error === null && opened !== undefined) resolve(opened)
        else reject(problemOf(error))
      })
    })
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of stream) {
      const piece = Buffer.from(chunk as Uint8Array)
      length += piece.length
      // a second check, in case the reader misses a false size
      if (length > bytesMax) throw new ZipProblem(`a file of it is larger than ${bytesMax} bytes`)
      chunks.push(piece)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    throw problemOf(error)
  }
}
