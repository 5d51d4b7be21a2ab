import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** `DATA_DIR/credentials.json` (S-3203). */
export type Credentials = {
  apiUrl: string
  mcpUrl: string
  dashboardUrl: string
  email: string
  password: string
  /** Scope read_write, on the example account. */
  apiKey: string
  /** Scope read, on the example account. */
  readKey: string
  /** Scope read, on a second account with the Free plan. */
  freeKey: string
  /** The token for `/metrics`, sent as `Authorization: Bearer`. */
  metricsToken: string
}

const fileIn = (dataDir: string): string => join(dataDir, 'credentials.json')

export const readCredentials = async (dataDir: string): Promise<Credentials | null> => {
  try {
    return toCredentials(JSON.parse(await readFile(fileIn(dataDir), 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Writes the file atomically, readable by its owner only. */
export const writeCredentials = async (dataDir: string, credentials: Credentials): Promise<void> => {
  const draft = `${fileIn(dataDir)}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, fileIn(dataDir))
}

/** Returns the metrics token of a data directory, or a new one, which `ensureAccounts` then stores. */
export const findMetricsToken = async (dataDir: string): Promise<string> => {
  const known: Partial<Credentials> | null = await readCredentials(dataDir)
  return known?.metricsToken ?? randomBytes(32).toString('base64url')
}

/** Only `writeCredentials` writes this file. */
const toCredentials = (json: unknown): Credentials => json as Credentials
