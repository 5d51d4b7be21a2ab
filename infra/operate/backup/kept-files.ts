import { chmod, lstat, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { KeptFile } from './archive/read-archive.ts'

const fileBytesMax = 1024 * 1024
const filesMax = 10_000
const ownerOnly = 0o600
const ownerFolder = 0o700

export const secretsKeyFile = 'data/secrets.key'
/** Files of DATA_DIR. The rest belongs to the databases or is created again. */
const dataFiles = ['secrets.key', 'credentials.json']
/** NATS's streams: the agents' spools also have every reading that is not stored yet. */
const skippedFolders = new Set(['store'])

/**
 * Collects the key of the channel credentials and the NATS keys.
 * @param secretsKey from the environment; it has precedence over the file
 */
export const collectFiles = async (from: {
  dataDir: string
  keysDir: string
  secretsKey: string | null
}): Promise<KeptFile[]> => {
  const files: KeptFile[] = []
  for (const name of dataFiles) {
    const bytes = await readIfThere(join(from.dataDir, name))
    if (bytes !== null) files.push({ name: `data/${name}`, bytes })
  }
  if (from.secretsKey !== null) {
    const others = files.filter(({ name }) => name !== secretsKeyFile)
    files.splice(0, files.length, ...others, {
      name: secretsKeyFile,
      bytes: Buffer.from(`${from.secretsKey}\n`),
    })
  }
  if (await isFolder(join(from.keysDir, 'keys'))) {
    for await (const path of filesBelow(from.keysDir)) {
      const name = `nats/${relative(from.keysDir, path).replaceAll('\\', '/')}`
      files.push({ name, bytes: await readSmall(path) })
      if (files.length > filesMax) throw new Error(`${from.keysDir} has more than ${filesMax} files`)
    }
  }
  return files
}

const filesBelow = async function* (folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && !skippedFolders.has(entry.name)) yield* filesBelow(path)
  }
}

const readIfThere = async (path: string): Promise<Uint8Array | null> =>
  (await isFile(path)) ? readSmall(path) : null

const readSmall = async (path: string): Promise<Uint8Array> => {
  const { size } = await lstat(path)
  if (size > fileBytesMax) throw new Error(`${path} is larger than ${fileBytesMax} bytes`)
  return readFile(path)
}

const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (status) => status.isFile(),
    () => false,
  )
const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (status) => status.isDirectory(),
    () => false,
  )

/**
 * Lists entries of a folder that differ from these files. Files of an interrupted restore are the same.
 * @param root the archive's name for the folder
 */
export const foreignEntries = async (
  folder: string,
  root: 'data' | 'nats',
  files: readonly KeptFile[],
): Promise<string[]> => {
  const backedUp = new Map(
    files
      .filter(({ name }) => name.startsWith(`${root}/`))
      .map(({ name, bytes }) => [placeOf(name, { dataDir: folder, keysDir: folder }), bytes]),
  )
  const isOurs = async (path: string): Promise<boolean> => {
    const bytes = backedUp.get(path)
    return bytes !== undefined && isSame(await readIfThere(path), bytes)
  }
  const foreign: string[] = []
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry)
    const isBackedUp = (await isFolder(path))
      ? !skippedFolders.has(entry) && (await everyBelow(path, isOurs))
      : await isOurs(path)
    if (!isBackedUp) foreign.push(entry)
  }
  return foreign
}

const everyBelow = async (folder: string, test: (path: string) => Promise<boolean>): Promise<boolean> => {
  for await (const path of filesBelow(folder)) if (!(await test(path))) return false
  return true
}

const isSame = (found: Uint8Array | null, bytes: Uint8Array): boolean =>
  found !== null && Buffer.compare(found, bytes) === 0

/**
 * Writes files, readable by their owner only. An existing different file is an error.
 * @param placed receives the path of each new file, so that a failed restore can delete it
 */
export const putFiles = async (
  files: readonly KeptFile[],
  to: { dataDir: string; keysDir: string },
  placed: string[],
): Promise<void> => {
  for (const { name, bytes } of files) {
    const path = placeOf(name, to)
    if (isSame(await readIfThere(path), bytes)) continue
    await mkdir(dirname(path), { recursive: true, mode: ownerFolder })
    await writeFile(path, bytes, { mode: ownerOnly, flag: 'wx', flush: true })
    placed.push(path)
    await chmod(path, ownerOnly)
  }
}

/** @throws Error for a name outside the two folders */
const placeOf = (name: string, to: { dataDir: string; keysDir: string }): string => {
  const [root = '', ...rest] = name.split('/')
  const folder = { data: to.dataDir, nats: to.keysDir }[root]
  const isSound = rest.length > 0 && rest.every((part) => part !== '' && !/^\.+$/.test(part))
  if (folder === undefined || !isSound) throw new Error(`the backup has an invalid file name: ${name}`)
  return join(folder, ...rest)
}

/** Entries of a folder without lock files; none for a missing folder. */
export const entriesOf = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => !/^lock(-journal)?$/.test(name)).toSorted()
}
