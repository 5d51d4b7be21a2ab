import { listedStatusOrder, type ListedStatus } from '@probe-mesh/contracts/check/check-row'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { settingsTypeOf } from '@probe-mesh/contracts/check/types-with-settings'
import { noTimings, type Timings } from '@probe-mesh/contracts/reading/reading-details'
import { currentCertificates } from '../checks/expiry/certificates.ts'
import { describeCheckStatus } from '../checks/describe-check.ts'
import { regionViews, type RegionView } from '../status/region-status.ts'
import { labelText, type Family, type Sample } from './metric-text.ts'
import type { ScrapedCheck } from './scraped-checks-store.ts'

/** What the metrics say of one check. `labels` are those of its series without a region. */
export type CheckFigures = {
  labels: string
  type: CheckType
  status: ListedStatus
  /** Whether maintenance covers the check, so that its alerts are held. */
  maintenance: 0 | 1
  regions: RegionFigures[]
}

/** A region of a check. null: not known, so that the series is left out. */
type RegionFigures = {
  labels: string
  /** Whether the last reading was a success; null when it was refused, or is not fresh. */
  success: 0 | 1 | null
  blocked: 0 | 1 | null
  ageSeconds: number | null
  latencyMs: number | null
  timings: Timings
  certificateExpiresAtMs: number | null
}

/**
 * The figures of a check at an instant. A refused probe is no failure and no region has a result without a fresh
 * reading: the series is absent, and never the last value (S-3703, S-3704).
 */
export const figuresOf = (
  check: ScrapedCheck,
  nowMs: number,
  inMaintenance: ReadonlySet<string>,
): CheckFigures => {
  const { id, name, type, url, target, paused } = check
  const own = { check: name, check_id: id, type, target: url ?? target ?? '' }
  const expiries = new Map(
    currentCertificates(check.certificates, check).map(({ region, expiresAtMs }) => [region, expiresAtMs]),
  )
  const views = paused || type === 'heartbeat' ? [] : regionViews(check.state.regions, check, nowMs)
  return {
    labels: labelText(own),
    type,
    maintenance: inMaintenance.has(id) ? 1 : 0,
    status: paused ? 'paused' : describeCheckStatus(check, nowMs).status,
    regions: views.map((view) => ({
      labels: labelText({ ...own, region: view.region }),
      ...regionFigures(view, nowMs),
      certificateExpiresAtMs: isMeasured(view) ? (expiries.get(view.region) ?? null) : null,
    })),
  }
}

const isMeasured = ({ status }: RegionView): boolean => status === 'up' || status === 'down'

const regionFigures = (
  view: RegionView,
  nowMs: number,
): Omit<RegionFigures, 'labels' | 'certificateExpiresAtMs'> => {
  const { state, status } = view
  const measured = isMeasured(view)
  const readAtMs = Math.max(state.verdict === null ? 0 : state.measuredAt, state.suspect?.measuredAt ?? 0)
  return {
    success: measured ? (status === 'up' ? 1 : 0) : null,
    blocked: measured ? 0 : status === 'blocked' ? 1 : null,
    ageSeconds: readAtMs === 0 ? null : Math.max(0, nowMs - readAtMs) / 1000,
    latencyMs: measured ? state.latencyMs : null,
    timings: measured ? state.timings : noTimings,
  }
}

const ofRegions =
  (value: (region: RegionFigures, check: CheckFigures) => number | null) =>
  (check: CheckFigures): Sample[] =>
    check.regions.flatMap((region) => {
      const found = value(region, check)
      return found === null ? [] : [{ labels: region.labels, value: found }]
    })

/** Rounded to microseconds: 123.4 / 1000 is not 0.1234. */
const seconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1000) / 1e6)

/** Types whose first phase is the look-up of the target's name. */
const looksUp = (type: CheckType): boolean => type === 'http' || settingsTypeOf(type)?.looksUpName === true

/** Our phases by the names that blackbox_exporter gives them. */
const phases = [
  ['resolve', 'dnsMs'],
  ['connect', 'connectMs'],
  ['tls', 'tlsMs'],
  ['processing', 'ttfbMs'],
  ['transfer', 'transferMs'],
] as const

/** The metrics of checks: the names of blackbox_exporter where it has one, then our own. */
export const checkFamilies: readonly Family<CheckFigures>[] = [
  {
    name: 'probe_success',
    help: 'Whether the last probe of this region succeeded. Absent while probes are refused or no reading is fresh',
    samples: ofRegions(({ success }) => success),
  },
  {
    name: 'probe_duration_seconds',
    help: 'How long the last probe took, in seconds, with its redirects',
    samples: ofRegions(({ latencyMs }) => seconds(latencyMs)),
  },
  {
    name: 'probe_dns_lookup_time_seconds',
    help: 'The time of the look-up of the name, in seconds',
    samples: ofRegions(({ timings }, { type }) => (looksUp(type) ? seconds(timings.dnsMs) : null)),
  },
  {
    name: 'probe_http_duration_seconds',
    help: 'The phases of the last request of an http probe, in seconds. A phase that was not reached is absent',
    samples: ({ type, regions }) =>
      type !== 'http'
        ? []
        : regions.flatMap(({ labels, timings }) =>
            phases.flatMap(([phase, field]) => {
              const value = seconds(timings[field])
              return value === null ? [] : [{ labels: `${labels},phase="${phase}"`, value }]
            }),
          ),
  },
  {
    name: 'probe_ssl_earliest_cert_expiry',
    help: 'When clients stop to accept the certificate of the target, as a Unix time; what is sent and not used is left out',
    samples: ofRegions(({ certificateExpiresAtMs }) => seconds(certificateExpiresAtMs)),
  },
  {
    name: 'probe_ssl_last_chain_expiry_timestamp_seconds',
    help: 'The same, under the name that it has in blackbox_exporter',
    samples: ofRegions(({ certificateExpiresAtMs }) => seconds(certificateExpiresAtMs)),
  },
  {
    name: 'probe_mesh_check_status',
    help: 'The status of the check, which its regions decide together: 1 for the current one, 0 for the others',
    samples: ({ labels, status }) =>
      listedStatusOrder.map((each) => ({
        labels: `${labels},status="${each}"`,
        value: each === status ? 1 : 0,
      })),
  },
  {
    name: 'probe_mesh_check_maintenance',
    help: 'Whether maintenance of a status page covers the check now, so that its alerts are held',
    samples: ({ labels, maintenance }) => [{ labels, value: maintenance }],
  },
  {
    name: 'probe_mesh_check_blocked',
    help: 'Whether the target refused the last probe of this region, which says nothing about its availability',
    samples: ofRegions(({ blocked }) => blocked),
  },
  {
    name: 'probe_mesh_reading_age_seconds',
    help: 'The age of the last reading of this region, in seconds',
    samples: ofRegions(({ ageSeconds }) => ageSeconds),
  },
]
