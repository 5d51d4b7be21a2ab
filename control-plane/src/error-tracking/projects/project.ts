import type { ErrorOutcome } from '../events/batch-changes.ts'
import type { ErrorPlatform } from '@probe-mesh/contracts/error-tracking/error-project'
import type { ErrorProject } from '@probe-mesh/contracts/error-tracking/error-tracking'

/** An error project as it is stored. */
export type ErrorProjectRecord = {
  id: string
  accountId: string
  name: string
  /** In the path of its DSN; digits, since it may be more than a number holds. */
  number: string
  platform: ErrorPlatform
  /** 32 hexadecimal digits: the newest of its keys that is not revoked, of which there is always one. */
  publicKey: string
  createdAtMs: number
}

/** A project's events of one month; an outcome that none had may be left out. */
export type ErrorCounts = Readonly<Partial<Record<ErrorOutcome, number>>>

/**
 * An error project as every route returns it. Pure.
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
 * What an SDK is given: it reports to `<publicUrl>/api/<number>/envelope/`. A path of the public URL
 * stays in front of the number, where SDKs look for it.
 */
export const dsnOf = (
  { publicKey, number }: Pick<ErrorProjectRecord, 'publicKey' | 'number'>,
  publicUrl: string,
): string => {
  const { protocol, host, pathname } = new URL(publicUrl)
  return `${protocol}//${publicKey}@${host}${pathname.replace(/\/+$/, '')}/${number}`
}
