import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/**
 * A zip archive of files with their permissions. The same entries give the same bytes.
 * @param time of every file
 */
export const zipOf = async (
  entries: readonly { name: string; bytes: Buffer; mode: number }[],
  time: Date,
): Promise<Buffer> => {
  const zip = new ZipFile()
  for (const { name, bytes, mode } of entries) {
    zip.addBuffer(bytes, name, { mode: 0o100000 | mode, mtime: time, forceDosTimestamp: true })
  }
  zip.end()
  return buffer(zip.outputStream)
}
