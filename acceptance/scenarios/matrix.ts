import type { ServiceStatus, ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { Truth } from './behaviour.ts'

/** What was true where an answer read; `turning` while it changed after the answer's readings. */
export type Row = MeasuredStatus | 'turning'

type MeasuredStatus = Exclude<ServiceStatus, 'not_covered'>

/** What was true of each of a service's probes in a region, at any instant of a time. */
export type TruthsOf = (region: string, fromMs: number, toMs: number) => ReadonlySet<Truth>[]

export type Judged = {
  row: Row
  column: ServiceStatus
  /** What the answer says that was not so; empty for a right one. */
  wrong: readonly string[]
}

/** A reading's last attempt lasts as long as its deadline; the loop that runs it may be busy. */
const attemptMs = 2_000
/** Clocks are read one after the other. */
const beforeMs = 20

/**
 * Holds a status answer against the truth. Of each region that it read, the reading must tell what
 * was true when it was made, its measurement must be fresh by what the answer says of itself, and
 * the status must follow from the regions (S-1203).
 * @param askedMs when the question was sent and when the answer came, in the machine's time
 * @param machineMs takes the instants of answers to the machine's time
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
    // of two probes one speaks, and the other may have been measured any time before
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
  // failures of different times are not added up before a round has seen them at one
  const isAsked =
    follows === 'down' &&
    answer.status === 'down_in_some_regions' &&
    read.some(({ region }) =>
      truthsOf(region, time.sentMs - staleMs, time.cameMs).some((each) => each.size > 1),
    )
  if (answer.status !== follows && !isAsked)
    wrong.push(`${answer.status} does not follow: ${follows}`)
  const codes = read.map(({ region }) => region).toSorted()
  // what was read may decide nothing: then the regions are told, and nothing of them is
  const isUndecided = answer.status === 'no_data' && read.length === 0
  if (!isUndecided && answer.regionsRead.join() !== codes.join())
    wrong.push(`it read ${answer.regionsRead.join()}`)
  const known = truths.flatMap((truth) => truth ?? [])
  const row = statusOf(known)
  // of two probes one may not have been read yet
  const isPart = probes > 1 && wrong.length === 0 && row !== follows
  const isTurning = known.length < truths.length || isPart
  return { row: isTurning ? 'turning' : row, column: answer.status, wrong }
}

/** One truth of all probes where each had only one; a failing probe speaks, else a working one. */
const combined = (probes: readonly ReadonlySet<Truth>[]): Truth | null => {
  if (probes.some((truths) => truths.size !== 1)) return null
  const all = new Set(probes.flatMap((truths) => [...truths]))
  return (['down', 'up', 'blocked'] as const).find((truth) => all.has(truth)) ?? null
}

/** S-1203 and S-1204, written once more by themselves. */
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
  /** A shared incident was told while nothing failed that services share. */
  countFalseAlarm(summary: string): void
  /** How many answers were counted. */
  readonly total: number
  /** The first wrong answers, each in a line. */
  readonly wrong: readonly string[]
  /** Wrong answers that say so. */
  wrongly(status: 'up' | 'down' | 'blocked'): number
  readonly falseAlarms: number
  table(): string
}

const rows: readonly Row[] = ['up', 'down', 'down_in_some_regions', 'blocked', 'turning']
const columns: readonly ServiceStatus[] = [
  'up',
  'down',
  'down_in_some_regions',
  'blocked',
  'no_data',
]
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
      const said = new Set(problems.map((problem) => / is (up|down|blocked)$/.exec(problem)?.[1]))
      for (const status of said) {
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
        cells
          .map((text, index) => (index === 0 ? text.padEnd(width) : text.padStart(width)))
          .join('')
      return [
        line(['truth \\ answer', ...columns]),
        ...rows.map((row) => line([row, ...columns.map((column) => String(cell(row, column)))])),
      ].join('\n')
    },
  }
}
