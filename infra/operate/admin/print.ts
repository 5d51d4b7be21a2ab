import { textTable } from '@probe-mesh/runtime/tables'
import type { KeyRecord } from '@probe-mesh/control-plane/accounts/keys-store'
import type { QuarantineRecord } from '@probe-mesh/control-plane/status/quarantine/quarantines-store'
import { poolShareAgeMsMax } from '@probe-mesh/control-plane/app/pool-snapshot'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { Outcome } from './command.ts'
import type { DoubtRecord } from '@probe-mesh/control-plane/status/quarantine/region-doubts-store'
import type { SourceShares } from '@probe-mesh/control-plane/status/quarantine/sources'

/** Data for stdout and a note for stderr. */
export type Printed = { out: string; note: string }

export const printOutcome = (outcome: Outcome, json: boolean): Printed => {
  if (json) return { out: `${JSON.stringify(toJson(outcome), null, 2)}\n`, note: '' }
  switch (outcome.act) {
    case 'account create':
      return {
        out: lines([
          `account   ${outcome.account.id}`,
          `tier      ${outcome.account.tier}`,
          `email     ${outcome.email}`,
          `password  ${outcome.password}`,
        ]),
        note: 'The password is shown once.\n',
      }
    case 'account list':
      return {
        out: table(
          ['account', 'tier', 'email', 'name', 'state'],
          outcome.accounts.map((one) => [
            one.id,
            one.tier,
            one.email ?? '-',
            one.name,
            one.suspendedAtMs === null ? 'open' : 'suspended',
          ]),
        ),
        note: '',
      }
    case 'tier set':
      return {
        out: lines([`${outcome.account.id} is ${outcome.account.tier}`]),
        note: 'Running control planes apply it within 5 seconds.\n',
      }
    case 'suspend account':
      return {
        out: lines([`${outcome.account.id} is suspended; ${outcome.checks} checks are paused`]),
        note: 'Running control planes apply it within 5 seconds. "resume account" undoes it.\n',
      }
    case 'resume account':
      return {
        out: lines([`${outcome.account.id} is open again; ${outcome.checks} checks run again`]),
        note: 'Running control planes apply it within 5 seconds.\n',
      }
    case 'usage':
      return {
        out: table(
          ['pool', 'taken', 'waiting', 'account', 'email'],
          outcome.shares.map((share) => [
            share.pool,
            String(share.taken),
            String(share.waiting),
            share.owner,
            share.email ?? '-',
          ]),
        ),
        note: `Use in the last ${poolShareAgeMsMax / 1_000} seconds, over all control planes.\n`,
      }
    case 'key create':
      return {
        out: lines([outcome.apiKey]),
        note: `Key ${outcome.key.id}, scope ${outcome.key.scope}. The key is shown once.\n`,
      }
    case 'key list':
      return {
        out: table(
          ['key', 'scope', 'hint', 'state', 'name'],
          outcome.keys.map((key) => [key.id, key.scope, key.hint, stateOf(key), key.name]),
        ),
        note: '',
      }
    case 'key revoke':
      return {
        out: lines([`${outcome.key.id} is revoked`]),
        note: 'Running control planes refuse it within 5 seconds.\n',
      }
    case 'check create':
      return { out: checkLines(outcome.check), note: 'Agents measure it from its next slot.\n' }
    case 'check edit':
    case 'check steps':
      return { out: checkLines(outcome.check), note: '' }
    case 'check list':
      return {
        out: table(
          ['check', 'type', 'every', 'status', 'target', 'name'],
          outcome.checks.map((check) => [
            check.id,
            check.type,
            `${check.intervalSeconds}s`,
            check.paused ? 'paused' : check.status,
            targetOf(check),
            check.name,
          ]),
        ),
        note: '',
      }
    case 'regions':
      return {
        out: table(
          ['region', 'quarantined', 'until', 'hosts', 'failing', 'such as'],
          outcome.quarantines.map(quarantineCells),
        ),
        note: noteOnRegions(outcome.quarantines),
      }
    case 'quarantines': {
      const rows = evidenceRows(outcome.quarantines, outcome.doubts)
      return rows.length === 0
        ? { out: '', note: 'There are no recent quarantines and no rejected evidence.\n' }
        : { out: table(evidenceHeadings, rows), note: '' }
    }
  }
}

const quarantineCells = (one: QuarantineRecord): string[] => [
  one.region,
  new Date(one.sinceAtMs).toISOString(),
  one.endedAtMs === null ? 'now' : new Date(one.endedAtMs).toISOString(),
  String(one.hosts),
  String(one.failing),
  one.examples.slice(0, 3).join(', '),
]

const noteOnRegions = (quarantines: readonly QuarantineRecord[]): string => {
  const open = quarantines.filter(({ endedAtMs }) => endedAtMs === null)
  if (open.length === 0) return 'No region is quarantined.\n'
  const names = open.map(({ region }) => region).join(', ')
  return `Readings of ${names} count as unmeasured until the region's network works for two minutes.\n`
}

const stateOf = (key: KeyRecord): string =>
  key.revokedAtMs === null ? 'open' : `revoked ${new Date(key.revokedAtMs).toISOString()}`

const targetOf = (check: Check): string => check.url ?? check.target ?? '-'

const checkLines = (check: Check): string =>
  lines([
    `check     ${check.id}`,
    `type      ${check.type}`,
    `name      ${check.name}`,
    `target    ${targetOf(check)}`,
    `every     ${check.intervalSeconds}s`,
    `regions   ${check.regions.length === 0 ? '-' : check.regions.join(', ')}`,
    `state     ${check.paused ? 'paused' : 'running'}`,
  ])

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `${textTable([head, ...rows])}\n`

/** The result with times in the API's form: `createdAt`, ISO 8601. */
const toJson = (outcome: Outcome): unknown =>
  formatTimes(Object.fromEntries(Object.entries(outcome).filter(([key]) => key !== 'act')))

const formatTimes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(formatTimes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]: [string, unknown]) =>
      key.endsWith('AtMs')
        ? [key.slice(0, -2), typeof part === 'number' ? new Date(part).toISOString() : null]
        : [key, formatTimes(part)],
    ),
  )
}

/** The headings of the rows below. */
const evidenceHeadings = ['region', 'state', 'since', 'until', 'of', 'name', 'hosts failing', 'share']

/** A row for each account, domain and network whose hosts failed in one region only. */
const evidenceRows = (
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
