import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** The same bytes for the same entries: their time is the format's first day. */
const mtime = new Date(1980, 0, 1)

/** A zip archive. @param entries each with its permissions, which an executable needs */
export const zipOf = async (
  entries: readonly { name: string; bytes: Buffer; mode: number }[],
): Promise<Buffer> => {
  const zip = new ZipFile()
  for (const { name, bytes, mode } of entries) {
    zip.addBuffer(bytes, name, { mode: 0o100000 | mode, mtime })
  }
  zip.end()
  return buffer(zip.outputStream)
}
