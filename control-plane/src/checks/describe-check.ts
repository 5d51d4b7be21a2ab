import { daysLeftOf } from '@probe-mesh/contracts/reading/certificate'
import type { CheckCertificate, CheckDomain } from '@probe-mesh/contracts/reading/certificate'
import type { Check, CheckDetail } from '@probe-mesh/contracts/check/check'
import type { CheckWithState } from '../check-record/check-record.ts'
import { describeCheckStatus } from './check-status.ts'
import type { DomainRecord } from './expiry/domains-store.ts'
import type { MeasuredUptime } from '../status/uptime.ts'
import type { HeartbeatEvidence } from './describe-heartbeat-check.ts'

/** A check as every route returns it, with its status as it can be said at `nowMs`. */
export const describeCheck = (check: CheckWithState, nowMs: number): Check =>
  toCheck(check, describeCheckStatus(check, nowMs).status)

/** A check with its evidence: what was measured where, when, and how long that stays fresh. */
export const describeCheckDetail = (
  check: CheckWithState,
  more: MeasuredUptime & {
    vantage: CheckDetail['vantage']
    certificates: CheckCertificate[]
    domain: DomainRecord | null
    heartbeat?: HeartbeatEvidence
  },
  nowMs: number,
): CheckDetail => {
  const description = describeCheckStatus(check, nowMs)
  return {
    ...toCheck(check, description.status),
    statusSince: description.statusSince,
    statusReason: description.statusReason,
    // an agent of the account stands for itself, wherever the regions are measured from
    vantage: check.private ? 'regional' : more.vantage,
    measuredAt: description.measuredAt,
    staleAfterSeconds: description.staleAfterSeconds,
    regionStatuses: description.regionStatuses,
    ...(description.intermittent !== undefined && { intermittent: description.intermittent }),
    uptime: more.uptime,
    measuredShare: more.measuredShare,
    ...(more.certificates.length > 0 && { certificates: more.certificates }),
    ...(more.domain !== null && { domain: describeDomain(more.domain, nowMs) }),
    ...more.heartbeat,
  }
}

const describeDomain = (
  { name, expiresAtMs, registrar, askedAtMs }: DomainRecord,
  nowMs: number,
): CheckDomain => ({
  name,
  expiresAt: new Date(expiresAtMs).toISOString(),
  daysLeft: daysLeftOf(expiresAtMs, nowMs),
  registrar,
  askedAt: new Date(askedAtMs).toISOString(),
})

/** What the owner says beside the assertions; absent where nothing is said. */
const limitsOf = (
  config: CheckWithState['config'],
): Pick<Check, 'timeoutSeconds' | 'refusedAs'> => ({
  ...('timeoutSeconds' in config &&
    config.timeoutSeconds !== undefined && { timeoutSeconds: config.timeoutSeconds }),
  ...(config.type === 'http' && config.refusedAs === 'blocked' && { refusedAs: 'blocked' }),
})

const toCheck = (check: CheckWithState, status: Check['status']): Check => ({
  id: check.id,
  name: check.name,
  type: check.type,
  url: check.url,
  target: check.target,
  intervalSeconds: check.intervalSeconds,
  regions: [...check.regions],
  allRegions: check.allRegions,
  paused: check.paused,
  private: check.private,
  ...check.assertions,
  ...limitsOf(check.config),
  status,
  createdAt: new Date(check.createdAtMs).toISOString(),
  updatedAt: new Date(check.updatedAtMs).toISOString(),
})
