import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const keyBytes = 32

/**
 * The key that credentials of notification channels are encrypted with, where no SECRETS_KEY is given:
 * `DATA_DIR/secrets.key`, made at the first start, for its owner's eyes only. Who loses it sets every
 * channel's config again.
 */
export const ensureSecretsKey = async (dataDir: string): Promise<string> => {
  const file = join(dataDir, 'secrets.key')
  const known = await readKey(file)
  if (known !== null) return known
  await mkdir(dataDir, { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${randomBytes(keyBytes).toString('base64url')}\n`, { mode: 0o600 })
  try {
    // whole or not at all, and never over one that somebody else has made meanwhile
    await link(draft, file)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
  const made = await readKey(file)
  if (made === null) throw new Error(`${file} went away`)
  return made
}

const readKey = async (file: string): Promise<string | null> => {
  try {
    const key = (await readFile(file, 'utf8')).trim()
    if (key.length >= keyBytes) return key
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
  throw new Error(`${file} is too short to be the key: put back the one that was there`)
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
