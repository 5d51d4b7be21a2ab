import type { ErrorOutcome } from '../events/batch-changes.ts'
import type { ErrorPlatform } from '../contracts/error-project.ts'
import type { ErrorProject } from '../contracts/error-tracking.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

/** A stored error project. */
export type ErrorProjectRecord = {
  id: string
  accountId: string
  name: string
  /** Part of its DSN. Digits, because it can exceed the precision of a number. */
  number: string
  platform: ErrorPlatform
  /** The newest active key, 32 hexadecimal digits. A project always has one. */
  publicKey: string
  createdAtMs: number
}

/** A project's events of one month by outcome. A missing outcome means 0. */
export type ErrorCounts = Readonly<Partial<Record<ErrorOutcome, number>>>

/**
 * An error project as the routes return it.
 * @param counts of this month
 * @param quota events a month, of the account's tier
 */
export const describeErrorProject = (
  project: ErrorProjectRecord,
  counts: ErrorCounts,
  { quota, publicUrl }: { quota: number; publicUrl: string },
): ErrorProject => ({
  id: project.id,
  name: project.name,
  dsn: dsnOf(project, publicUrl),
  eventsThisMonth: counts.stored ?? 0,
  quota,
  dropped: {
    quota: counts.quota ?? 0,
    rate: counts.rate ?? 0,
    size: counts.size ?? 0,
    invalid: counts.invalid ?? 0,
    duplicate: counts.duplicate ?? 0,
    filtered: counts.filtered ?? 0,
    scrub: counts.scrub ?? 0,
    store: counts.store ?? 0,
  },
})

/**
 * The DSN for SDKs, which report to `<publicUrl>/api/<number>/envelope/`. A path of the public URL stays
 * before the number, where SDKs expect it.
 */
export const dsnOf = (
  { publicKey, number }: Pick<ErrorProjectRecord, 'publicKey' | 'number'>,
  publicUrl: string,
): string => {
  const { protocol, host, pathname } = new URL(publicUrl)
  return `${protocol}//${publicKey}@${host}${withoutEnd(pathname, '/')}/${number}`
}
