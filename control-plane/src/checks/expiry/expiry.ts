/** What can expire of a target. */
export type ExpiryKind = 'certificate' | 'domain'

/**
 * What a rule has notified about one check's certificate or domain. Stored as JSON; times are Unix
 * milliseconds.
 */
export type ExpiryAlert = {
  /** The expiry that was notified. */
  expiresAtMs: number
  /** The smallest number of days that was notified. */
  days: number
  /** When a renewal was last notified; null: never. */
  renewedAtMs: number | null
  /**
   * It was renewed, and is remembered for a while: servers behind one name may still show the old
   * certificate, which must not be notified again.
   */
  over: boolean
}

export type ExpiryEvent = 'expiring' | 'renewed'
/** The result of an observation; `alert` is null when there is nothing to remember. */
type ExpiryStep = { alert: ExpiryAlert | null; event: ExpiryEvent | null }

const dayMs = 86_400_000
/** An expiry that moves by less is the same. */
const sameMs = 3_600_000
/** How long a renewal is remembered, and how often one may be notified. */
const rememberedMs = 7 * dayMs
const renewalMs = dayMs

/**
 * Observes an expiry: one notification for each of `days` that is reached, only the smallest if several are
 * at once, and one for a renewal (S-1908, S-1909).
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

const beforeRenewal = (before: ExpiryAlert, { least, isLater, expiresAtMs, nowMs }: Seen): ExpiryStep => {
  // the rule no longer has as many days
  if (least === null && !isLater) return nothing
  if (least !== null && least < before.days) return expiring(expiresAtMs, least, before.renewedAtMs)
  if (!isLater) return silent(expiresAtMs < before.expiresAtMs ? { ...before, expiresAtMs } : before)
  // always renewed this late: notified once, not at every renewal
  if (least === before.days) return silent({ ...before, expiresAtMs })
  const renewed = least === null ? { ...before, over: true } : { ...before, expiresAtMs, days: least }
  const isRecent = before.renewedAtMs !== null && nowMs - before.renewedAtMs < renewalMs
  return isRecent ? silent(renewed) : { alert: { ...renewed, renewedAtMs: nowMs }, event: 'renewed' }
}

const afterRenewal = (before: ExpiryAlert, { least, isLater, expiresAtMs, nowMs }: Seen): ExpiryStep => {
  if (!isLater) {
    if (least === null) return silent(before)
    return least < before.days
      ? expiring(expiresAtMs, least, before.renewedAtMs)
      : silent({ ...before, over: false })
  }
  if (least !== null) return expiring(expiresAtMs, least, before.renewedAtMs)
  return nowMs - (before.renewedAtMs ?? 0) < rememberedMs ? silent(before) : nothing
}
