import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const keyBytes = 32

/**
 * Returns the key that encrypts credentials of notification channels if SECRETS_KEY is not set. It is created
 * at the first start as `DATA_DIR/secrets.key`, readable by its owner only. If it is lost, every channel must
 * be configured again.
 */
export const ensureSecretsKey = async (dataDir: string): Promise<string> => {
  const file = join(dataDir, 'secrets.key')
  const known = await readKey(file)
  if (known !== null) return known
  await mkdir(dataDir, { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${randomBytes(keyBytes).toString('base64url')}\n`, { mode: 0o600 })
  try {
    // atomic, and never overwrites a key that another process has created
    await link(draft, file)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
  const made = await readKey(file)
  if (made === null) throw new Error(`${file} was removed during the start`)
  return made
}

/** SECRETS_KEY, or the key of the instance that runs on `DATA_DIR`; null if there is neither. */
export const findSecretsKey = async ({
  secretsKey,
  dataDir,
}: {
  secretsKey: string | null
  dataDir: string
}): Promise<string | null> => secretsKey ?? (await readKey(join(dataDir, 'secrets.key')))

const readKey = async (file: string): Promise<string | null> => {
  try {
    const key = (await readFile(file, 'utf8')).trim()
    if (key.length >= keyBytes) return key
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
  throw new Error(`${file} is too short to be the key. Restore the original file.`)
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
