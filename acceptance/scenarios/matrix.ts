import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'
import type { ServiceStatus, ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { Truth } from './behaviour.ts'
import { intervalSeconds } from './interval.ts'

/** The truth behind an answer; `turning` if it changed after the answer's readings. */
type Row = MeasuredStatus | 'turning'

type MeasuredStatus = Exclude<ServiceStatus, 'not_covered'>

/** The true states of each probe of a service in a region during a period. */
export type TruthsOf = (region: string, fromMs: number, toMs: number) => ReadonlySet<Truth>[]

export type Judged = {
  row: Row
  column: ServiceStatus
  /** Wrong statements of the answer; empty for a correct one. */
  wrong: readonly string[]
}

/** Maximum duration of a reading's last attempt, including its deadline and a busy loop. */
const attemptMs = 1_200 + attemptDeadlineMs(intervalSeconds)
/** Tolerance for clocks read one after the other. */
const beforeMs = 20

/**
 * Compares a status answer with the truth. For each region read, the reading must match the truth at its
 * time, it must be as fresh as the answer claims, and the status must follow from the regions (S-1203).
 * @param time when the query was sent and when the answer came, in the machine's time
 * @param machineMs converts instants of answers to the machine's time
 */
export const judgeAnswer = (
  answer: ServiceStatusAnswer,
  { truthsOf, probes }: { truthsOf: TruthsOf; probes: number },
  time: { sentMs: number; cameMs: number; machineMs: (atMs: number) => number },
): Judged => {
  const wrong: string[] = []
  const truths: (Truth | null)[] = []
  const staleMs = answer.freshness.staleAfterSeconds * 1000
  const read = answer.regions.filter(({ fresh }) => fresh)
  for (const { region, status, measuredAt } of read) {
    const measuredMs = measuredAt === null ? 0 : time.machineMs(Date.parse(measuredAt))
    // one of two probes decides; the other may have an older reading
    const fromMs = probes > 1 ? Math.min(measuredMs, time.sentMs - staleMs) : measuredMs
    const then = truthsOf(region, fromMs - beforeMs, measuredMs + attemptMs)
    if (!then.some((each) => each.has(status as Truth))) wrong.push(`${region} is ${status}`)
    truths.push(combined(truthsOf(region, fromMs - beforeMs, time.cameMs)))
    if (time.sentMs - measuredMs > staleMs + attemptMs) wrong.push(`${region} is fresh`)
  }
  if (read.length === 0) {
    const now = answer.regions.map(({ region }) => truthsOf(region, time.sentMs, time.cameMs))
    truths.push(...now.map(combined))
  }
  const follows = statusOf(read.map(({ status }) => status))
  // failures of different slots add up only after a confirmation round
  const isPending =
    follows === 'down' &&
    answer.status === 'down_in_some_regions' &&
    read.some(({ region }) =>
      truthsOf(region, time.sentMs - staleMs, time.cameMs).some((each) => each.size > 1),
    )
  if (answer.status !== follows && !isPending) wrong.push(`${answer.status} does not follow: ${follows}`)
  const codes = read.map(({ region }) => region).toSorted()
  // with undecided readings the answer lists the regions and reads none
  const isUndecided = answer.status === 'no_data' && read.length === 0
  if (!isUndecided && answer.regionsRead.join() !== codes.join())
    wrong.push(`it read ${answer.regionsRead.join()}`)
  const known = truths.flatMap((truth) => truth ?? [])
  const row = statusOf(known)
  // one of two probes may have no reading yet
  const isPart = probes > 1 && wrong.length === 0 && row !== follows
  const isTurning = known.length < truths.length || isPart
  return { row: isTurning ? 'turning' : row, column: answer.status, wrong }
}

/** One truth of all steady probes; a failing probe wins over a working one. */
const combined = (probes: readonly ReadonlySet<Truth>[]): Truth | null => {
  if (probes.some((truths) => truths.size !== 1)) return null
  const all = new Set(probes.flatMap((truths) => [...truths]))
  return (['down', 'up', 'blocked'] as const).find((truth) => all.has(truth)) ?? null
}

/** An independent implementation of S-1203 and S-1204. */
export const statusOf = (seen: readonly string[]): MeasuredStatus => {
  if (seen.length === 0) return 'no_data'
  if (seen.every((one) => one === 'up')) return 'up'
  if (seen.every((one) => one === 'down')) return 'down'
  if (seen.every((one) => one === 'blocked')) return 'blocked'
  return seen.includes('down') ? 'down_in_some_regions' : 'up'
}

/** Truth by answer, counted. */
export type Matrix = {
  count(judged: Judged, subject: string): void
  /** An answer reported a shared incident without a shared failure. */
  countFalseAlarm(summary: string): void
  /** Number of counted answers. */
  readonly total: number
  /** The first wrong answers, one per line. */
  readonly wrong: readonly string[]
  /** Number of wrong answers with this status. */
  wrongly(status: 'up' | 'down' | 'blocked'): number
  readonly falseAlarms: number
  table(): string
}

const rows: readonly Row[] = ['up', 'down', 'down_in_some_regions', 'blocked', 'turning']
const columns: readonly ServiceStatus[] = ['up', 'down', 'down_in_some_regions', 'blocked', 'no_data']
const wrongMax = 50

export const createMatrix = (): Matrix => {
  const cells = new Map<string, number>()
  const wrong: string[] = []
  const wronglySaid = new Map<string, number>()
  let total = 0
  let falseAlarms = 0
  const cell = (row: Row, column: ServiceStatus): number => cells.get(`${row} ${column}`) ?? 0
  return {
    count: ({ row, column, wrong: problems }, subject) => {
      total += 1
      cells.set(`${row} ${column}`, cell(row, column) + 1)
      if (problems.length === 0) return
      if (wrong.length < wrongMax) wrong.push(`${subject}: ${problems.join(', ')} (was ${row})`)
      const statuses = new Set(problems.map((problem) => / is (up|down|blocked)$/.exec(problem)?.[1]))
      for (const status of statuses) {
        const key = status ?? column
        wronglySaid.set(key, (wronglySaid.get(key) ?? 0) + 1)
      }
    },
    countFalseAlarm: (summary) => {
      falseAlarms += 1
      if (wrong.length < wrongMax) wrong.push(`a false alarm: ${summary}`)
    },
    get falseAlarms() {
      return falseAlarms
    },
    get total() {
      return total
    },
    wrong,
    wrongly: (status) => wronglySaid.get(status) ?? 0,
    table: () => {
      const width = 22
      const line = (cells: readonly string[]): string =>
        cells.map((text, index) => (index === 0 ? text.padEnd(width) : text.padStart(width))).join('')
      return [
        line(['truth \\ answer', ...columns]),
        ...rows.map((row) => line([row, ...columns.map((column) => String(cell(row, column)))])),
      ].join('\n')
    },
  }
}
