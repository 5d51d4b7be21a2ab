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
  /** read_write, of the example account */
  apiKey: string
  /** read, of the example account */
  readKey: string
  /** read, of a second account on the free tier */
  freeKey: string
  /** What readers of `/metrics` send, as `Authorization: Bearer`. */
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

/** Whole or not at all, and for its owner's eyes only. */
export const writeCredentials = async (dataDir: string, credentials: Credentials): Promise<void> => {
  const draft = `${fileIn(dataDir)}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, fileIn(dataDir))
}

/** The token of a data directory, which is new where the file has none yet: `ensureAccounts` writes it. */
export const findMetricsToken = async (dataDir: string): Promise<string> => {
  const known: Partial<Credentials> | null = await readCredentials(dataDir)
  return known?.metricsToken ?? randomBytes(32).toString('base64url')
}

/** The file is ours alone: it was written by `writeCredentials`. */
const toCredentials = (json: unknown): Credentials => json as Credentials
