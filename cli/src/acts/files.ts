import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Failure } from '../api/failure.ts'
import { fileLimits } from '../file/checks-file.ts'
import { decodeUtf8 } from '../terminal/world.ts'
import type { World } from '../terminal/world.ts'

/** UTF-8 takes up to three bytes for a unit of what JavaScript counts. */
const bytesMax = 3 * fileLimits.textCharactersMax

type ReadText =
  | { ok: true; name: string; text: string; format: 'yaml' | 'json' }
  | { ok: false; message: string }

/**
 * The text of a file of checks. "`.json` by extension" (specification, Command-line tool), every
 * other name is YAML; `-` is standard input, JSON where that begins with a brace.
 * @returns where there is none why, without the file's name
 */
export const readTextOf = async (
  world: Pick<World, 'readInput'>,
  file: string,
): Promise<ReadText> => {
  try {
    if (file === '-') {
      const text = await world.readInput(bytesMax)
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
    return { ok: false, message: whyUnreadable(error) }
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
export const whyUnreadable = (error: Error): string => {
  switch ('code' in error ? error.code : null) {
    case 'ENOENT':
      return 'there is no such file'
    case 'EISDIR':
      return 'this is a folder'
    case 'EACCES':
      return 'this user may not read it'
    default:
      return error.message
  }
}

/**
 * Puts a text in the place of a file, at once: whoever reads it sees the old one or the new one.
 * What is no regular file, such as a pipe, is written to.
 * @returns why it could not be written; null: it is
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
