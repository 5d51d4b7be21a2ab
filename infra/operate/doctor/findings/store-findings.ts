import { aheadReason } from '@probe-mesh/control-plane/readings/decode'
import type { DatabaseFacts, Waiting } from '@probe-mesh/control-plane/mesh/doctor-facts-store'
import { postgresRemedy } from '../../../start/processes/postgres-refusal.ts'
import { broken, ok, shownAge, shownBytes, warning } from './finding.ts'
import type { Finding, Gathered } from './finding.ts'

/** What a store has of the migrations that this version knows. */
export type Migrations = { known: readonly string[]; applied: readonly string[] }

export type PostgresFacts = { database: DatabaseFacts; skewMs: number; tookMs: number }

/** Of systemd; chrony does it by itself once it runs. */
const setClock = 'timedatectl set-ntp true'
const skewWarningMs = 5_000
/** A clock that is off by more makes ages and freshness wrong. */
const skewBrokenMs = 30_000
const connectionsWarning = 0.8
const connectionsBroken = 0.95
const waitWarningMs = 60_000
const waitBrokenMs = 600_000
/** Below `bytes` always; below `share` where it is less than `roomy`, since a share of a large disk is much. */
const diskWarning = { share: 0.15, bytes: 2e9, roomy: 20e9 }
const diskBroken = { share: 0.05, bytes: 5e8, roomy: 5e9 }

/** How far a clock is from ours. @param skewMs ahead of ours where above 0 */
export const clockFinding = (topic: string, whose: string, skewMs: number): Finding => {
  const off = Math.abs(skewMs)
  if (off < skewWarningMs) return { ...ok(topic, `${whose} agrees with this machine's`), skewMs }
  const message = `${whose} is ${shownAge(off)} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's.`
  const next = `Run an NTP client there and here ("${setClock}"): ages and slots are wrong by that.`
  const finding = off < skewBrokenMs ? warning(topic, message, next) : broken(topic, message, next)
  return { ...finding, skewMs }
}

/** Where every server's clock is off by the same, this machine's is: one finding in place of theirs. Pure. */
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

/** How much room a disk has. */
export const diskFinding = (
  topic: string,
  what: string,
  { freeBytes, totalBytes, path }: { freeBytes: number; totalBytes: number; path?: string },
): Finding => {
  const share = totalBytes === 0 ? 0 : freeBytes / totalBytes
  const message = `${what} has ${shownBytes(freeBytes)} free of ${shownBytes(totalBytes)}`
  const where = path === undefined ? '' : ` at ${path} ("df -h ${path}" on its machine)`
  const next = `Make room${where}, or give it a larger disk: readings wait, and are stored once there is room.`
  const isBelow = (bound: typeof diskWarning) =>
    freeBytes < bound.bytes || (share < bound.share && freeBytes < bound.roomy)
  if (isBelow(diskBroken)) return broken(topic, `${message}.`, next)
  return isBelow(diskWarning) ? warning(topic, `${message}.`, next) : ok(topic, message)
}

/** Whether a store has every migration of this version, and none that it does not know. Pure. */
export const migrationFinding = (store: string, { known, applied }: Migrations): Finding => {
  const topic = 'migrations'
  const pending = known.filter((name) => !applied.includes(name))
  const unknown = applied.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    return warning(
      topic,
      `${store} has ${unknown.join(', ')}, which this version does not know.`,
      'A newer version runs on it: use that one here too.',
    )
  }
  if (pending.length > 0) {
    return warning(
      topic,
      `${store} lacks ${pending.join(', ')}.`,
      'Start a control plane of this version: it applies them while the others serve.',
    )
  }
  return ok(topic, `${store} has all ${known.length}`)
}

/** The role cannot make what the first start needs. Pure. @param statement that lets it */
export const roleFinding = (statement: string): Finding =>
  broken(
    'postgres',
    'The role of DATABASE_URL may not create or grant the two roles that the first start needs.',
    `As a superuser of Postgres: psql -c '${statement}'`,
  )

/** What the database says of itself and of what waits in it. Pure. */
export const postgresFindings = (gathered: Gathered<PostgresFacts>): Finding[] => {
  const topic = 'postgres'
  if (!gathered.ok) {
    const remedy = postgresRemedy(gathered.code)
    if (remedy !== null) return [broken(topic, `Postgres refuses: ${gathered.why}.`, remedy)]
    return [
      broken(
        topic,
        `Postgres does not answer: ${gathered.why}.`,
        'Start it ("systemctl start postgresql"), or set DATABASE_URL to where it is. Until then nothing is judged, and readings wait on the stream.',
      ),
    ]
  }
  const { database, skewMs, tookMs } = gathered.facts
  const { connections, connectionsMax } = database
  const used = `${connections} of ${connectionsMax} connections`
  const share = connections / Math.max(1, connectionsMax)
  const next = 'Raise max_connections, or run fewer control planes: each takes about 40.'
  return [
    share >= connectionsBroken
      ? broken(topic, `${used} are taken.`, next)
      : share >= connectionsWarning
        ? warning(topic, `${used} are taken.`, next)
        : ok(topic, `answers, in ${Math.round(tookMs)} ms; ${used}`),
    clockFinding('clock', "Postgres's clock", skewMs),
    ...partitionFindings(database),
    ...quarantineFindings(database),
    ...waitingFindings(database),
  ]
}

const partitionFindings = ({ owners }: DatabaseFacts): Finding[] => {
  const topic = 'partitions'
  const orphans = owners.filter(({ owner }) => owner === null).map(({ partition }) => partition)
  if (orphans.length > 0) {
    return [
      broken(
        topic,
        `${orphans.length} of ${owners.length} have no owner: ${orphans.join(', ')}. Their readings are neither stored nor judged.`,
        'Start a control plane ("systemctl start probe-mesh-control-plane" or "npm run control-plane"), or look at the log of those that run. One that lives takes them within 10 s.',
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
          `Look at the network of the agents of ${region}: its readings count as unmeasured until it was clean for two minutes.`,
        ),
      )

const ageOf = ({ oldestAtMs }: Waiting, nowMs: number): number =>
  oldestAtMs === null ? 0 : Math.max(0, nowMs - oldestAtMs)

const waitingFindings = (facts: DatabaseFacts): Finding[] => {
  const { nowMs, putAside, outbox, deliveries, dead, batches } = facts
  const queue = (topic: string, what: string, waiting: Waiting, next: string): Finding => {
    const age = ageOf(waiting, nowMs)
    if (waiting.count === 0 || age < waitWarningMs)
      return ok(topic, `${waiting.count} ${what} wait`)
    const message = `${waiting.count} ${what} wait, the oldest for ${shownAge(age)}.`
    return age < waitBrokenMs ? warning(topic, message, next) : broken(topic, message, next)
  }
  return [
    queue(
      'outbox',
      'causes',
      outbox,
      'Look at the log of the control planes: what is to be told is not taken up.',
    ),
    queue(
      'deliveries',
      'messages',
      deliveries,
      'Look at the outbox page of the account for what the receiver says, and at SMTP_URL.',
    ),
    queue(
      'storing',
      'batches of readings that were begun',
      batches,
      'Look at ClickHouse: a batch ends when it takes it.',
    ),
    dead.count === 0
      ? ok('dead letters', 'none in the last day')
      : warning(
          'dead letters',
          `${dead.count} messages were given up in the last day.`,
          'The outbox page of each account says why, and sends them again.',
        ),
    putAside.count === 0
      ? ok('put aside', 'nothing that could not be read')
      : putAsideFinding(facts),
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
      ? `The clock of an agent is ahead, or was: set it right ("${setClock}" on its machine; clock in this list names it while it is heard). Then drop what it measured: psql "$DATABASE_URL" -c "delete from poison_messages where reason = '${aheadReason}'"`
      : 'The table poison_messages has each with its reason: an agent of another make or a much newer version sends such.',
  )
}
