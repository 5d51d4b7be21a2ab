import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import type { Failure } from '../api/failure.ts'

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
