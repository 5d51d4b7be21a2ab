import {
  daysLeftOf,
  type CheckCertificate,
  type CheckDomain,
  type UnknownDomain,
} from '@probe-mesh/contracts/reading/certificate'
import type { Check, CheckDetail } from '@probe-mesh/contracts/check/check'
import { hasRequest, type CheckWithState } from '../records/check/check-record.ts'
import type { DomainRecord } from './expiry/domains-store.ts'
import type { UptimeAt } from '../status/uptime.ts'
import { heartbeatStatus, describeHeartbeat, describeRun } from '../heartbeats/describe-heartbeat.ts'
import { pausedReason } from '../status/observe.ts'
import { describeStatus, type StatusDescription } from '../status/status.ts'
import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { waitSeconds } from '../heartbeats/clocks.ts'
import type { FoundHeartbeat } from '../heartbeats/heartbeats-store.ts'

/** A check as the API returns it, with its status at `nowMs`. */
export const describeCheck = (check: CheckWithState, nowMs: number): Check =>
  toCheck(check, describeCheckStatus(check, nowMs).status)

/** A check with its evidence: what was measured, where, when, and how long it stays fresh. */
export const describeCheckDetail = (
  check: CheckWithState,
  more: UptimeAt & {
    vantage: CheckDetail['vantage']
    certificates: CheckCertificate[]
    domain: DomainRecord | null
    domainUnknown: UnknownDomain | null
    heartbeat?: HeartbeatEvidence
  },
  nowMs: number,
): CheckDetail => {
  const description = describeCheckStatus(check, nowMs)
  return {
    ...toCheck(check, description.status),
    statusSince: description.statusSince,
    statusReason: description.statusReason,
    // a private agent is its own region, wherever the other regions are measured from
    vantage: check.private ? 'regional' : more.vantage,
    measuredAt: description.measuredAt,
    staleAfterSeconds: description.staleAfterSeconds,
    regionStatuses: description.regionStatuses,
    ...(description.intermittent !== undefined && { intermittent: description.intermittent }),
    uptime: more.uptime,
    measuredShare: more.measuredShare,
    ...(more.atMs !== null && { uptimeAt: new Date(more.atMs).toISOString() }),
    ...(more.certificates.length > 0 && { certificates: more.certificates }),
    ...(more.domain !== null && { domain: describeDomain(more.domain, nowMs) }),
    ...(more.domainUnknown !== null && { domainUnknown: more.domainUnknown }),
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

/** The timeout and the meaning of a refusal; absent if they are the defaults. */
const limitsOf = (config: CheckWithState['config']): Pick<Check, 'timeoutSeconds' | 'refusedAs'> => ({
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
  ...(hasRequest(check.config) && { hasRequest: true }),
  tags: [...check.tags],
  status,
  createdAt: new Date(check.createdAtMs).toISOString(),
  updatedAt: new Date(check.updatedAtMs).toISOString(),
})

/**
 * A check's status at `nowMs`. A heartbeat is not probed: its status is the recorded one, not one derived
 * from readings. A paused check has no status about its target, whatever was measured before.
 */
export const describeCheckStatus = (
  check: Pick<CheckWithState, 'type' | 'paused' | 'regions' | 'intervalSeconds' | 'state'>,
  nowMs: number,
): StatusDescription => {
  const description = describeStatus(check.state, check, nowMs)
  if (check.type !== 'heartbeat') return check.paused ? describePaused(description) : description
  const status = heartbeatStatus({ paused: check.paused, status: check.state.status })
  return { ...description, status }
}

const describePaused = ({ intermittent: _failures, ...described }: StatusDescription): StatusDescription => ({
  ...described,
  status: described.status === 'unknown' ? 'unknown' : 'stale',
  statusReason: pausedReason,
  statusSince: null,
})

/** What a heartbeat reports in place of readings, and its own fields. */
export type HeartbeatEvidence = Pick<
  CheckDetail,
  'statusReason' | 'statusSince' | 'measuredAt' | 'staleAfterSeconds' | 'heartbeat'
>

/** `measuredAt` is the last ping; `staleAfterSeconds` is how long the next one may take. */
export const describeHeartbeatCheck = (
  check: CheckWithState,
  settings: HeartbeatSettings,
  found: Pick<FoundHeartbeat, 'state' | 'latestRun'>,
  urls: { pingUrl: string | null; slugUrl: string | null },
  nowMs: number,
): HeartbeatEvidence => {
  const { paused, validFromMs, state } = check
  const definition = { settings, paused, validFromMs, status: state.status }
  const { statusReason, ...extras } = describeHeartbeat(found.state, definition, nowMs)
  return {
    statusReason,
    statusSince: paused || state.statusSinceMs === null ? null : new Date(state.statusSinceMs).toISOString(),
    measuredAt: extras.lastPingAt,
    staleAfterSeconds: waitSeconds(found.state, settings, nowMs),
    heartbeat: {
      ...extras,
      periodSeconds: settings.periodSeconds,
      graceSeconds: settings.graceSeconds,
      maxRuntimeSeconds: settings.maxRuntimeSeconds,
      latestRun: found.latestRun === null ? null : describeRun(found.latestRun),
      ...urls,
    },
  }
}
