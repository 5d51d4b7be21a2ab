import { randomBytes } from 'node:crypto'

/** A name that no other test uses, in this process or another. */
export const databaseName = (): string => `test_${randomBytes(8).toString('hex')}`

/** The same server, another database. */
export const withDatabase = (url: string, database: string): string => {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}
