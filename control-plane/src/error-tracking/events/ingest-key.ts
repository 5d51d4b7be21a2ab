import type { ErrorKey } from '@probe-mesh/contracts/error-tracking/error-project'
import { dsnOf } from './project.ts'
import type { ErrorProjectRecord } from './project.ts'

const publicKey = /^[0-9a-f]{32}$/

/**
 * The public key by which an SDK reports: of the query, of `X-Sentry-Auth` or `Authorization`
 * (`Sentry sentry_version=7, sentry_key=...`), or of the DSN in the envelope's header. Null where none of
 * them has the form of one. Pure.
 */
export const ingestKeyOf = (from: {
  query: unknown
  headers: Readonly<Record<string, string | string[] | undefined>>
  dsn?: string | undefined
}): string | null => {
  const asked: unknown[] = [
    typeof from.query === 'object' && from.query !== null && 'sentry_key' in from.query
      ? from.query.sentry_key
      : null,
    keyInHeader(from.headers['x-sentry-auth']),
    keyInHeader(from.headers['authorization']),
    from.dsn !== undefined && URL.canParse(from.dsn) ? new URL(from.dsn).username : null,
  ]
  const isKey = (key: unknown): key is string => typeof key === 'string' && publicKey.test(key)
  return asked.find(isKey) ?? null
}

const keyInHeader = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' ? (/\bsentry_key=([^,\s]+)/.exec(value)?.[1] ?? null) : null

/** A key of an error project as it is stored. */
export type ErrorKeyRecord = {
  id: string
  accountId: string
  projectId: string
  /** 32 hexadecimal digits, unique among all projects. */
  publicKey: string
  createdAtMs: number
  revokedAtMs: number | null
}

/** A key with its DSN. Pure. */
export const describeErrorKey = (
  { id, publicKey, createdAtMs, revokedAtMs }: ErrorKeyRecord,
  { number }: Pick<ErrorProjectRecord, 'number'>,
  publicUrl: string,
): ErrorKey => ({
  id,
  publicKey,
  dsn: dsnOf({ publicKey, number }, publicUrl),
  createdAt: new Date(createdAtMs).toISOString(),
  revokedAt: revokedAtMs === null ? null : new Date(revokedAtMs).toISOString(),
})
