import { diskLevel } from '@probe-mesh/runtime/disk-space'
import { aheadReason } from '@probe-mesh/control-plane/readings/decode'
import { baselineMigrations, beforeBaseline } from '@probe-mesh/control-plane/stores/postgres/baseline'
import type { DatabaseFacts, Waiting } from '@probe-mesh/control-plane/mesh/doctor-facts-store'
import { postgresRemedy } from '../../../start/processes/postgres-refusal.ts'
import {
  broken,
  ok,
  shownAge,
  shownBytes,
  unanswered,
  warning,
  type Finding,
  type Unanswered,
} from './finding.ts'

/** Migrations of this version and of a store. */
export type Migrations = { known: readonly string[]; applied: readonly string[] }

export type PostgresFacts = { database: DatabaseFacts; skewMs: number; tookMs: number }

/** For systemd; chrony needs no command. */
const setClock = 'timedatectl set-ntp true'
const skewWarningMs = 5_000
/** A larger skew makes ages and freshness wrong. */
const skewBrokenMs = 30_000
const connectionsWarning = 0.8
const connectionsBroken = 0.95
const waitWarningMs = 60_000
const waitBrokenMs = 600_000

/** Compares a clock with this machine's. @param skewMs above 0: ahead of this machine's */
export const clockFinding = (topic: string, whose: string, skewMs: number): Finding => {
  const off = Math.abs(skewMs)
  if (off < skewWarningMs) return { ...ok(topic, `${whose} agrees with this machine's`), skewMs }
  const message = `${whose} is ${shownAge(off)} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's.`
  const next = `Run an NTP client on both machines ("${setClock}"). Ages and slots are wrong by the difference.`
  const finding = off < skewBrokenMs ? warning(topic, message, next) : broken(topic, message, next)
  return { ...finding, skewMs }
}

/**
 * If all servers differ by the same time, this machine's clock is wrong: one finding replaces theirs.
 */
export const ownClockFindings = (findings: readonly Finding[]): Finding[] => {
  const servers = findings.filter(({ skewMs }) => skewMs !== undefined)
  const skews = servers.map(({ skewMs = 0 }) => skewMs)
  const [least, most] = [Math.min(...skews), Math.max(...skews)]
  const areOff = least >= skewWarningMs || most <= -skewWarningMs
  if (servers.length < 2 || !areOff || most - least >= skewWarningMs) return [...findings]
  const off = Math.abs((least + most) / 2)
  const message = `This machine's clock is ${shownAge(off)} ${least > 0 ? 'behind' : 'ahead of'} those of all ${servers.length} servers.`
  const next = `Run an NTP client on this machine: "${setClock}".`
  const own = off < skewBrokenMs ? warning('clock', message, next) : broken('clock', message, next)
  return [own, ...findings.filter(({ skewMs }) => skewMs === undefined)]
}

/** Whether a disk has enough free space. */
export const diskFinding = (
  topic: string,
  what: string,
  { freeBytes, totalBytes, path }: { freeBytes: number; totalBytes: number; path?: string },
): Finding => {
  const message = `${what} has ${shownBytes(freeBytes)} free of ${shownBytes(totalBytes)}`
  const where = path === undefined ? '' : ` at ${path} ("df -h ${path}" on its machine)`
  const next = `Free space${where}, or use a larger disk. Readings wait meanwhile, and are stored afterwards.`
  const level = diskLevel({ freeBytes, totalBytes })
  if (level === 'full') return broken(topic, `${message}.`, next)
  return level === 'low' ? warning(topic, `${message}.`, next) : ok(topic, message)
}

/** Whether a store has exactly the migrations of this version. */
export const migrationFinding = (store: string, { known, applied }: Migrations): Finding => {
  const topic = 'migrations'
  const pending = known.filter((name) => !applied.includes(name))
  const unknown = applied.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    return warning(
      topic,
      `${store} has migrations that this version does not know: ${unknown.join(', ')}.`,
      'A newer version uses it: run that version here too.',
    )
  }
  if (pending.length > 0) {
    return warning(
      topic,
      `${store} lacks ${pending.join(', ')}.`,
      applied.length > 0 && pending.some((name) => baselineMigrations.includes(name))
        ? `A control plane of this version does not start on it: ${beforeBaseline}.`
        : 'Start a control plane of this version: it applies them while the others keep serving.',
    )
  }
  return ok(topic, `${store} has all ${known.length} migrations`)
}

/** The database role lacks a permission for the first start. @param statement that grants it */
export const roleFinding = (statement: string): Finding =>
  broken(
    'postgres',
    'The role of DATABASE_URL has no permission to create or grant the two roles that the first start needs.',
    `Run as a superuser of Postgres: psql -c '${statement}'`,
  )

/** Findings about a Postgres that does not answer or refuses. */
export const noPostgresFinding = (gathered: Unanswered): Finding => {
  const topic = 'postgres'
  const remedy = postgresRemedy(gathered.code, gathered.why)
  if (remedy !== null) return broken(topic, `Postgres refuses: ${gathered.why}.`, remedy)
  return unanswered(
    topic,
    gathered,
    `Postgres does not answer: ${gathered.why}.`,
    'Start it ("systemctl start postgresql"), or correct DATABASE_URL. Checks are not assessed meanwhile, and readings wait on the stream.',
  )
}

/** Findings about Postgres and its queues. */
export const postgresFindings = ({ database, skewMs, tookMs }: PostgresFacts): Finding[] => {
  const topic = 'postgres'
  const { connections, connectionsMax } = database
  const used = `${connections} of ${connectionsMax} connections`
  const next = 'Raise max_connections, or run fewer control planes: each uses about 40.'
  return [
    shareFinding(connections / Math.max(1, connectionsMax), `${used} are in use.`, next) ??
      ok(topic, `answers, in ${Math.round(tookMs)} ms; ${used}`),
    clockFinding('clock', "Postgres's clock", skewMs),
    ...partitionFindings(database),
    ...quarantineFindings(database),
    ...waitingFindings(database),
  ]
}

/** null: enough connections are left. */
const shareFinding = (share: number, message: string, next: string): Finding | null =>
  share >= connectionsBroken
    ? broken('postgres', message, next)
    : share >= connectionsWarning
      ? warning('postgres', message, next)
      : null

const partitionFindings = ({ owners }: DatabaseFacts): Finding[] => {
  const topic = 'partitions'
  const orphans = owners.filter(({ owner }) => owner === null).map(({ partition }) => partition)
  if (orphans.length > 0) {
    return [
      broken(
        topic,
        `${orphans.length} of ${owners.length} have no owner: ${orphans.join(', ')}. Their readings are neither stored nor assessed.`,
        'Start a control plane ("systemctl start probe-mesh-control-plane" or "npm run control-plane"), or check the logs of running ones. A healthy control plane leases them within 10 s.',
      ),
    ]
  }
  const count = new Set(owners.map(({ owner }) => owner)).size
  return [ok(topic, `${owners.length} owned by ${count} control planes`)]
}

const quarantineFindings = ({ quarantines, nowMs }: DatabaseFacts): Finding[] =>
  quarantines.length === 0
    ? [ok('quarantine', 'no region is quarantined')]
    : quarantines.map(({ region, hosts, failing, sinceAtMs, examples }) =>
        warning(
          'quarantine',
          `${region} is quarantined for ${shownAge(nowMs - sinceAtMs)}: ${failing} of ${hosts} hosts failed there only, such as ${examples.slice(0, 3).join(', ')}.`,
          `Check the network of the agents of ${region}. Its readings count as unmeasured until the network works for 2 min.`,
        ),
      )

const ageOf = ({ oldestAtMs }: Waiting, nowMs: number): number =>
  oldestAtMs === null ? 0 : Math.max(0, nowMs - oldestAtMs)

const waitingFindings = (facts: DatabaseFacts): Finding[] => {
  const { nowMs, putAside, outbox, deliveries, dead, batches } = facts
  const queue = (topic: string, what: string, waiting: Waiting, next: string): Finding => {
    const age = ageOf(waiting, nowMs)
    if (waiting.count === 0 || age < waitWarningMs) return ok(topic, `${waiting.count} ${what} wait`)
    const message = `${waiting.count} ${what} wait, the oldest for ${shownAge(age)}.`
    return age < waitBrokenMs ? warning(topic, message, next) : broken(topic, message, next)
  }
  return [
    queue(
      'outbox',
      'causes',
      outbox,
      'Check the log of the control planes: they do not turn causes into notifications.',
    ),
    queue(
      'deliveries',
      'messages',
      deliveries,
      'Check the answer of the receiver on the outbox page of the account, and check SMTP_URL.',
    ),
    queue(
      'storing',
      'unfinished batches of readings',
      batches,
      'Check ClickHouse: a batch finishes when ClickHouse accepts it.',
    ),
    dead.count === 0
      ? ok('dead letters', 'none in the last day')
      : warning(
          'dead letters',
          `${dead.count} messages failed permanently in the last day.`,
          'The outbox page of each account shows the reason, and can resend them.',
        ),
    putAside.count === 0 ? ok('put aside', 'no unreadable messages or readings') : putAsideFinding(facts),
  ]
}

const putAsideFinding = ({ putAside, putAsideReasons, nowMs }: DatabaseFacts): Finding => {
  const reasons = putAsideReasons.join('; ')
  const message = `${putAside.count} messages or readings were put aside, the oldest ${shownAge(ageOf(putAside, nowMs))} ago: ${reasons}.`
  const isClock = putAsideReasons.includes(aheadReason)
  return warning(
    'put aside',
    message,
    isClock
      ? `An agent's clock is or was ahead. Correct it ("${setClock}" on its machine; "clock" in this list names an online agent). Then delete its readings: psql "$DATABASE_URL" -c "delete from poison_messages where reason = '${aheadReason}'"`
      : 'The table poison_messages has each with its reason. Usual senders are other programs and much newer agents.',
  )
}
