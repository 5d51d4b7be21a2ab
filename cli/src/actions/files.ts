import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Failure } from '../api/failure.ts'
import { fileLimits } from '../file/checks-file.ts'
import { decodeUtf8, type Context } from '../terminal/context.ts'

/** A UTF-16 code unit takes up to three bytes in UTF-8. */
const bytesMax = 3 * fileLimits.textCharactersMax

type ReadText =
  | { ok: true; name: string; text: string; format: 'yaml' | 'json' }
  | { ok: false; message: string }

/**
 * Reads a file of checks: JSON if its name ends in `.json`, else YAML. `-` is standard input, JSON
 * if it starts with a brace.
 * @returns the text, or why there is none, without the file name
 */
export const readTextOf = async (context: Pick<Context, 'readInput'>, file: string): Promise<ReadText> => {
  try {
    if (file === '-') {
      const text = await context.readInput(bytesMax)
      return {
        ok: true,
        name: 'standard input',
        text,
        format: /^\s*\{/.test(text) ? 'json' : 'yaml',
      }
    }
    return { ok: true, name: file, text: await readBounded(file), format: formatOf(file) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { ok: false, message: readProblem(error) }
  }
}

export const formatOf = (file: string): 'yaml' | 'json' =>
  extname(file).toLowerCase() === '.json' ? 'json' : 'yaml'

const readBounded = async (file: string): Promise<string> => {
  await using handle = await open(file)
  const { size } = await handle.stat()
  if (size > bytesMax) throw new Error(`has more than ${bytesMax} bytes`)
  return decodeUtf8(await handle.readFile())
}

/** Why a file was not read, without its name. */
export const readProblem = (error: Error): string => {
  switch ('code' in error ? error.code : null) {
    case 'ENOENT':
      return 'file not found'
    case 'EISDIR':
      return 'is a folder'
    case 'EACCES':
      return 'permission denied'
    default:
      return error.message
  }
}

/**
 * Replaces a file atomically: a reader sees the old text or the new one. Writes directly to what is
 * not a regular file, such as a pipe.
 * @returns why it could not be written, or null
 */
export const replaceFile = async (file: string, text: string): Promise<Failure | null> => {
  try {
    const isRegular = await stat(file).then(
      (found) => found.isFile(),
      () => true,
    )
    if (!isRegular) {
      await using handle = await open(file, 'w')
      await handle.writeFile(text)
      return null
    }
    const beside = `${file}.${randomUUID()}`
    try {
      {
        await using handle = await open(beside, 'wx')
        await handle.writeFile(text)
        await handle.sync()
      }
      await rename(beside, file)
    } finally {
      await rm(beside, { force: true })
    }
    return null
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { message: `${file} cannot be written: ${error.message}` }
  }
}

const ownerOnly = 0o600

/** A file that this command created, readable only by its owner. */
type NewFile = {
  ok: true
  /** @returns why it could not be written; the file is removed then */
  write(text: string): Promise<string | null>
  remove(): Promise<void>
}

/** Creates a file, and never touches one that exists. */
export const createFile = async (file: string): Promise<NewFile | { ok: false; failure: Failure }> => {
  const remove = (): Promise<void> => rm(file, { force: true })
  try {
    await (await open(file, 'wx', ownerOnly)).close()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isThere = 'code' in error && error.code === 'EEXIST'
    const message = isThere
      ? `${file} exists already: name a new file.`
      : `${file} cannot be written: ${error.message}`
    return { ok: false, failure: { message } }
  }
  return {
    ok: true,
    remove,
    write: async (text) => {
      try {
        await using handle = await open(file, 'r+')
        await handle.writeFile(text)
        await handle.sync()
        return null
      } catch (error) {
        if (!(error instanceof Error)) throw error
        await remove()
        return `${file} cannot be written: ${error.message}`
      }
    },
  }
}
