/** What expires of a check's target. */
export type ExpiryKind = 'certificate' | 'domain'

/** What a rule has sent of one check's certificate or domain. Stored as JSON; times are Unix milliseconds. */
export type ExpiryAlert = {
  /** When that which was notified expires. */
  expiresAtMs: number
  /** The fewest days that were notified. */
  days: number
  /** When a renewal was notified last; null: never. */
  renewedAtMs: number | null
  /**
   * Whether it is renewed, and this only remembers what was: some servers behind one name still show the certificate
   * before, and nobody is notified of that twice.
   */
  over: boolean
}

export type ExpiryEvent = 'expiring' | 'renewed'
/** What an observation leads to; `alert` is null when there is nothing left to remember. */
type ExpiryStep = { alert: ExpiryAlert | null; event: ExpiryEvent | null }

const dayMs = 86_400_000
/** An end that moves by less is the same end. */
const sameMs = 3_600_000
/** For how long a renewal is remembered, and how often one may be notified. */
const rememberedMs = 7 * dayMs
const renewalMs = dayMs

/**
 * Takes into account when something expires: one notice for each of `days` that is reached, the smallest
 * alone where several are at once, and one when it is renewed (S-1908, S-1909). Pure.
 */
export const observeExpiry = (
  before: ExpiryAlert | null,
  days: readonly number[],
  expiresAtMs: number,
  nowMs: number,
): ExpiryStep => {
  if (days.length === 0) return { alert: null, event: null }
  const reached = days.filter((each) => expiresAtMs - nowMs <= each * dayMs)
  const least = reached.length === 0 ? null : Math.min(...reached)
  if (before === null) return least === null ? nothing : expiring(expiresAtMs, least, null)
  const isLater = expiresAtMs > before.expiresAtMs + sameMs
  return before.over
    ? afterRenewal(before, { least, isLater, expiresAtMs, nowMs })
    : beforeRenewal(before, { least, isLater, expiresAtMs, nowMs })
}

type Seen = { least: number | null; isLater: boolean; expiresAtMs: number; nowMs: number }

const nothing: ExpiryStep = { alert: null, event: null }
const silent = (alert: ExpiryAlert): ExpiryStep => ({ alert, event: null })
const expiring = (expiresAtMs: number, days: number, renewedAtMs: number | null): ExpiryStep => ({
  alert: { expiresAtMs, days, renewedAtMs, over: false },
  event: 'expiring',
})

const beforeRenewal = (
  before: ExpiryAlert,
  { least, isLater, expiresAtMs, nowMs }: Seen,
): ExpiryStep => {
  // the rule no longer names as many days
  if (least === null && !isLater) return nothing
  if (least !== null && least < before.days) return expiring(expiresAtMs, least, before.renewedAtMs)
  if (!isLater)
    return silent(expiresAtMs < before.expiresAtMs ? { ...before, expiresAtMs } : before)
  // one that is always renewed so late: it is notified once, not at every renewal
  if (least === before.days) return silent({ ...before, expiresAtMs })
  const renewed =
    least === null ? { ...before, over: true } : { ...before, expiresAtMs, days: least }
  const isSaid = before.renewedAtMs !== null && nowMs - before.renewedAtMs < renewalMs
  return isSaid ? silent(renewed) : { alert: { ...renewed, renewedAtMs: nowMs }, event: 'renewed' }
}

const afterRenewal = (
  before: ExpiryAlert,
  { least, isLater, expiresAtMs, nowMs }: Seen,
): ExpiryStep => {
  if (!isLater) {
    if (least === null) return silent(before)
    return least < before.days
      ? expiring(expiresAtMs, least, before.renewedAtMs)
      : silent({ ...before, over: false })
  }
  if (least !== null) return expiring(expiresAtMs, least, before.renewedAtMs)
  return nowMs - (before.renewedAtMs ?? 0) < rememberedMs ? silent(before) : nothing
}
