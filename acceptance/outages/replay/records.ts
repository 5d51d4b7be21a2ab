import { readdir, readFile, writeFile } from 'node:fs/promises'
import { notMeasured } from '@probe-mesh/probe-agent/src/probes/not-measured'
import { jsonRows } from '@probe-mesh/runtime/tables'
import { z } from 'zod'
import { documentedMs, judge, type TimedAnswer, type Verdict } from './timeline.ts'
import type { InternetAnswer } from './play.ts'
import { Truth, type World } from '../world.ts'

/** The files in `plays/`: the answers of each replay. */

const Instant = z.iso.datetime()
const Judged = z.strictObject({
  service: z.string(),
  from: Instant,
  truth: Truth,
  /** Intervals from its start to the first right answer; null: never. */
  answeredAfter: z.number().min(0).nullable(),
  /** The number of answers with each status. */
  statuses: z.record(z.string(), z.int().positive()),
})
export type Judged = z.infer<typeof Judged>

const Internet = z.strictObject({
  at: Instant,
  status: z.string(),
  blames: z.strictObject({ kind: z.string(), name: z.string() }).nullable(),
  summary: z.string(),
})

export const PlayRecord = z.strictObject({
  outage: z.string(),
  /** The real path, or only the decisions on a virtual clock. */
  clock: z.enum(['real', 'virtual']),
  /** The rotation of the regions. */
  turn: z.int(),
  intervalSeconds: z.number().positive(),
  /** The share of answers without a measurement because the machine of the replay delayed its probes. */
  heldUp: z.number().min(0).max(1),
  /** Answers per service and interval. With too few the delay of answers is unknown. */
  answersPerInterval: z.number().min(0),
  /** The longest time between two queries, intervals, in which the machine was stuck. */
  longestGap: z.number().min(0).optional(),
  ours: z.array(Judged),
  rule: z.array(Judged),
  /** Each change of the answer about the first failing service. */
  statements: z.array(
    z.strictObject({ at: Instant, service: z.string(), status: z.string(), summary: z.string() }),
  ),
  /** Each change of the answer about the internet as a whole. */
  internet: z.array(Internet),
})
export type PlayRecord = z.infer<typeof PlayRecord>

export type Played = {
  outage: string
  clock: PlayRecord['clock']
  turn: number
  intervalSeconds: number
  documented: World
  world: World
  answers: readonly TimedAnswer[]
  rule: readonly TimedAnswer[]
  internet: readonly InternetAnswer[]
}

export const recordOf = (played: Played): PlayRecord => {
  const { outage, clock, turn, intervalSeconds, documented, world, answers } = played
  const at = (ms: number): string => new Date(Math.round(documentedMs(documented, world, ms))).toISOString()
  const judged = ({ slug, from, truth, answeredAfterMs, statuses }: Verdict): Judged => ({
    service: slug,
    from: at(from),
    truth,
    answeredAfter: answeredAfterMs === null ? null : tenths(answeredAfterMs / 1_000 / intervalSeconds),
    statuses: { ...statuses },
  })
  const speaker = failingFirst(documented)
  const own = answers.filter(({ slug }) => slug === speaker)
  const keyOf = ({ status, blames }: InternetAnswer): string => JSON.stringify([status, blames])
  return {
    outage,
    clock,
    turn,
    intervalSeconds,
    heldUp: answers.filter(({ summary }) => summary.includes(heldUpWords)).length / answers.length,
    answersPerInterval: tenths(
      answers.length / documented.services.length / ((world.until - world.from) / 1_000 / intervalSeconds),
    ),
    longestGap: tenths(longestGapMs(own) / 1_000 / intervalSeconds),
    ours: judge(world, answers).map(judged),
    rule: judge(world, played.rule).map(judged),
    statements: (clock === 'real' ? own : [])
      .filter(({ summary }, index) => unmeasured(summary) !== unmeasured(own[index - 1]?.summary))
      .slice(0, statementsMax)
      .map(({ atMs, slug, status, summary }) => ({ at: at(atMs), service: slug, status, summary })),
    internet: played.internet
      .filter((one, index) => {
        const before = played.internet[index - 1]
        return before === undefined || keyOf(before) !== keyOf(one)
      })
      .map(({ atMs, ...one }) => ({ at: at(atMs), ...one })),
  }
}

const statementsMax = 40
const heldUpWords = String(notMeasured.lagging.reason)
const heldUpMax = 0.02
const answersPerIntervalMin = 2

const longestGapMax = 1

const longestGapMs = (answers: readonly TimedAnswer[]): number =>
  Math.max(0, ...answers.slice(1).map(({ atMs }, index) => atMs - (answers[index]?.atMs ?? atMs)))

/** Why a replay is not recorded: it shows the machine instead of the outage; null: it is recorded. */
export const machineProblem = (record: PlayRecord): string | null => {
  const { heldUp, answersPerInterval, longestGap = 0 } = record
  if (longestGap > longestGapMax) return `no query was answered for ${longestGap} intervals`
  if (heldUp > heldUpMax)
    return `${(heldUp * 100).toFixed(0)} % of the answers have no measurement, because the probes were delayed`
  return answersPerInterval < answersPerIntervalMin
    ? `only ${answersPerInterval} answers per interval, because this machine is busy`
    : null
}

const failingFirst = ({ services, conditions }: World): string =>
  conditions[0]?.services[0] ?? services[0]?.slug ?? ''

/** Removes the time of measurement, which differs in each answer. */
const unmeasured = (summary: string | undefined): string | undefined =>
  summary?.replaceAll(/measured [\d: -]+ UTC/g, '')

const tenths = (value: number): number => Math.round(value * 10) / 10

const folder = new URL('../plays/', import.meta.url)

export const writeRecord = async (record: PlayRecord): Promise<void> => {
  const name = `${record.outage}.${record.clock}${record.turn === 0 ? '' : `.turned-${record.turn}`}.json`
  await writeFile(new URL(name, folder), `${jsonRows(record)}\n`)
}

export const readRecords = async (): Promise<PlayRecord[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).toSorted()
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
  return texts.map((text) => PlayRecord.parse(JSON.parse(text)))
}
