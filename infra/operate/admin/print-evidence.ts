import type { QuarantineRecord } from '@probe-mesh/control-plane/status/quarantine/quarantines-store'
import type { DoubtRecord } from '@probe-mesh/control-plane/status/quarantine/region-doubts-store'
import type { SourceShares } from '@probe-mesh/control-plane/status/quarantine/sources'

/** The headings of the rows below. */
export const evidenceHeadings = ['region', 'state', 'since', 'until', 'of', 'name', 'hosts failing', 'share']

/** A row for each account, domain and network whose hosts failed in one region only. Pure. */
export const evidenceRows = (
  quarantines: readonly QuarantineRecord[],
  doubts: readonly DoubtRecord[],
): string[][] => [
  ...quarantines.flatMap((one) =>
    rowsOf(one, [one.region, 'quarantined', instant(one.sinceAtMs), untilOf(one.endedAtMs)]),
  ),
  ...doubts.flatMap((one) =>
    rowsOf(one, [one.region, rejectedTexts[one.why], instant(one.sinceAtMs), instant(one.lastAtMs)]),
  ),
]

const rejectedTexts = {
  unconfirmed: 'rejected: unconfirmed',
  majority: 'rejected: half of the regions are quarantined',
} as const

const rowsOf = ({ sources }: QuarantineRecord | DoubtRecord, about: string[]): string[][] => [
  ...sharesOf('account', sources.accounts).map((row) => [...about, ...row]),
  ...sharesOf('domain', sources.domains).map((row) => [...about, ...row]),
  ...sharesOf('network', sources.networks).map((row) => [...about, ...row]),
]

const sharesOf = (kind: string, { named, otherHosts, distinct }: SourceShares): string[][] => {
  const all = named.reduce((sum, { hosts }) => sum + hosts, otherHosts)
  const row = (name: string, hosts: number): string[] => [
    kind,
    name,
    String(hosts),
    `${Math.round((hosts / all) * 100)} %`,
  ]
  return [
    ...named.map(({ name, hosts }) => row(name, hosts)),
    ...(otherHosts === 0 ? [] : [row(`${distinct - named.length} other`, otherHosts)]),
  ]
}

const instant = (ms: number): string => new Date(ms).toISOString()
const untilOf = (endedAtMs: number | null): string => (endedAtMs === null ? 'now' : instant(endedAtMs))
