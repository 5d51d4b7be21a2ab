import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'

/** A file of an archive. */
export type Entry = { readonly name: string; readonly bytes: Uint8Array; readonly mode: number }

/**
 * A compressed tar archive. The same entries give the same bytes: sorted, of nobody, at one time.
 * @param time of every file
 */
export const tarGz = async (entries: readonly Entry[], time: Date): Promise<Buffer> => {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const tar = await packTar(
    sorted.map(({ name, bytes, mode }) => ({
      header: { name, size: bytes.length, mode, mtime: time, uid: 0, gid: 0, uname: 'root', gname: 'root' },
      body: bytes,
    })),
  )
  return gzipSync(tar, { level: 9 })
}

/** The files of a folder, named below `prefix`; a link counts as its file. What its owner may execute, all may; what is not, all may read. */
export const entriesOf = async (folder: string, prefix: string): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    const mode = ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755
    entries.push({ name: join(prefix, relative(folder, path)), bytes: await readFile(path), mode })
  }
  return entries
}
