import { access, constants, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openPrivateApt } from './debian-packages.ts'

const caches = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

/** A program that is complete in one Debian package. */
export type DebianBinary = {
  package: string
  /** Its names in PATH; that of the package first. */
  names: readonly string[]
  /** Its path in the package. */
  path: string
  /** The Debian release of the package, which runs on any glibc of that release or later. */
  suite: string
  /** Whether a program in PATH is new enough; by default any is. */
  isUsable?: (path: string) => Promise<boolean>
}

/**
 * Returns the path of a program: the one in PATH, else a cached one, else Debian's package, unpacked into a
 * cache of this checkout. Installs nothing.
 * @param mayFetch whether to download a missing program from Debian's archive
 * @throws Error with the reason if there is none
 */
export const findDebianBinary = async (
  binary: DebianBinary,
  { mayFetch }: { mayFetch: boolean },
): Promise<string> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of binary.names) {
      const path = join(folder, name)
      if (folder === '' || !(await isExecutable(path))) continue
      if ((await binary.isUsable?.(path)) !== false) return path
    }
  }
  const cache = join(caches, binary.package)
  const cached = join(cache, binary.path)
  if (await isExecutable(cached)) return cached
  if (!mayFetch) throw new Error('not in PATH and not cached')
  await fetchPackage(binary, cache)
  return cached
}

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

const fetchPackage = async (binary: DebianBinary, cache: string): Promise<void> => {
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(`${cache}-`)
  try {
    const unpacked = join(folder, 'unpacked')
    await mkdir(unpacked)
    const apt = await openPrivateApt(folder, binary.suite)
    await apt.unpack([binary.package], unpacked)
    await moveWhole(unpacked, cache, binary.path)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Moves a folder atomically. If another run was first, its copy is used. @param program in the folder */
export const moveWhole = (from: string, to: string, program: string): Promise<void> =>
  rename(from, to).catch(async (error: unknown) => {
    if (!(await isExecutable(join(to, program)))) throw error
  })
