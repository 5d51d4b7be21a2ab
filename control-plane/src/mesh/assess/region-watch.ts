import { evidencePools } from '@probe-mesh/contracts/mesh/evidence-pools'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { catalogAccountId } from '../../accounts/accounts-store.ts'
import { siteOf } from '../../records/check/requested-hosts.ts'
import type { AssessedCheck } from '../../status/states-store.ts'
import { holdReading, type HeldReadings } from '../../status/quarantine/held-readings.ts'
import { surveyRegions, type Survey, type WatchedHost } from '../../status/quarantine/survey.ts'
import type { Owner } from '../../status/quarantine/tally.ts'
import { staleAfterMs } from '../../status/freshness.ts'
import type { AssessMetrics } from './metrics.ts'
import { hash32 } from '@probe-mesh/contracts/reading/slots'

/** Bounds for the cost of a survey. */
const { catalogHosts, accounts: accountsMax, hostsOfAccount } = evidencePools.regionEvidence.limits
const checksOfHostMax = 4

export type RegionWatch = {
  /** Records a reading as measured, even if it counts as unmeasured. */
  note(reading: Reading): void
  /** The hosts' evidence about each region now. Regions without a host to compare are absent. */
  survey(): Map<Region, Survey>
  /** The number of watched hosts. */
  size(): number
}

type Watched = { site: string; heldOf: Map<string, HeldReadings> }
type HostSample = ReturnType<typeof createHostSample<Watched>>

/**
 * Remembers the last result of each region for a sample of the hosts that are judged here, so that a region's
 * own failure shows. The catalog's hosts are a separate sample, and each account has a few places, so that an
 * account with many hosts takes no place of another. Each control plane watches its own partitions only:
 * checks are assigned to partitions by hash, so that is a sample of all checks.
 */
export const createRegionWatch = (capabilities: {
  /** The current check; undefined if it is not judged here. */
  find: (checkId: string) => AssessedCheck | undefined
  now: () => number
  metrics: Pick<AssessMetrics, 'evidenceRefused'>
}): RegionWatch => {
  const { find, now } = capabilities
  const catalog: HostSample = createHostSample(catalogHosts)
  const accounts = createHostSample<HostSample>(accountsMax)

  /** The readings of a check, unless it was deleted, changed its host or has had no reading for long. */
  const watchedCheck = (
    host: string,
    checkId: string,
    held: HeldReadings,
    nowMs: number,
  ): WatchedHost['checks'][number] | null => {
    const check = find(checkId)
    if (check === undefined || check.host !== host) return null
    const { intervalSeconds } = check
    const freshFromMs = nowMs - staleAfterMs(intervalSeconds)
    for (const { measuredAt } of held.values()) {
      if (measuredAt >= freshFromMs) return { intervalSeconds, held }
    }
    return null
  }

  const watchedHosts = (hosts: HostSample, owner: Owner, nowMs: number): WatchedHost[] =>
    hosts.entries().map(([host, { site, heldOf }]) => {
      const checks: WatchedHost['checks'][number][] = []
      for (const [checkId, held] of heldOf) {
        const check = watchedCheck(host, checkId, held, nowMs)
        if (check === null) heldOf.delete(checkId)
        else checks.push(check)
      }
      if (heldOf.size === 0) hosts.delete(host)
      return { host, owner, site, checks }
    })

  const placeOf = (accountId: string, host: string): Watched | null => {
    const hosts =
      accountId === catalogAccountId
        ? catalog
        : accounts.take(accountId, () => createHostSample(hostsOfAccount))
    return hosts?.take(host, () => ({ site: siteOf(host), heldOf: new Map() })) ?? null
  }

  return {
    note: (reading) => {
      const check = find(reading.checkId)
      // a check with one region has nothing to compare with
      if (check === undefined || check.host === null || check.regions.length < 2) return
      if (!check.regions.includes(reading.region)) return
      const place = placeOf(check.accountId, check.host)
      if (place === null) return capabilities.metrics.evidenceRefused.inc()
      const { heldOf } = place
      const held = heldOf.get(check.checkId)
      if (held === undefined && heldOf.size >= checksOfHostMax) return
      heldOf.set(check.checkId, holdReading(held ?? new Map(), reading, now()))
    },
    survey: () => {
      const nowMs = now()
      const watched = watchedHosts(catalog, { kind: 'catalog' }, nowMs)
      for (const [accountId, hosts] of accounts.entries()) {
        watched.push(...watchedHosts(hosts, { kind: 'account', accountId }, nowMs))
        if (hosts.size() === 0) accounts.delete(accountId)
      }
      return surveyRegions(watched, nowMs)
    },
    size: () => accounts.entries().reduce((sum, [, hosts]) => sum + hosts.size(), catalog.size()),
  }
}

/**
 * Values of at most `hostsMax` hosts, chosen by hash: the same hosts in any order of arrival, and after a
 * restart.
 */
export const createHostSample = <Value>(hostsMax: number) => {
  const held = new Map<string, { hash: number; value: Value }>()
  /**
   * While the sample is full: the host with the highest hash, which is replaced next; null until looked up.
   */
  let last: { host: string; hash: number } | null = null

  const findLast = (): { host: string; hash: number } => {
    let found = { host: '', hash: -1 }
    for (const [host, { hash }] of held) if (hash > found.hash) found = { host, hash }
    return found
  }
  const drop = (host: string): void => {
    held.delete(host)
    last = null
  }

  return {
    size: () => held.size,
    entries: (): [string, Value][] => [...held].map(([host, { value }]) => [host, value]),
    /** The host's value, created if missing; null if the host does not belong to the sample. */
    take: (host: string, make: () => Value): Value | null => {
      const known = held.get(host)
      if (known !== undefined) return known.value
      const hash = hash32(host)
      if (held.size >= hostsMax) {
        last ??= findLast()
        if (hash >= last.hash) return null
        drop(last.host)
      }
      const value = make()
      held.set(host, { hash, value })
      return value
    },
    delete: drop,
  }
}
