import { readdir, readFile, writeFile } from 'node:fs/promises'
import { notMeasured } from '@probe-mesh/probe-agent/probes/not-measured'
import { z } from 'zod'
import { documentedMs, judge } from './timeline.ts'
import type { Told, Verdict } from './timeline.ts'
import type { ToldOfInternet } from './play.ts'
import { Truth } from '../world.ts'
import type { World } from '../world.ts'

/** What `plays/` holds: of each outage that was played, what was answered. */

const Instant = z.iso.datetime()
const Judged = z.strictObject({
  service: z.string(),
  from: Instant,
  truth: Truth,
  /** Intervals from its begin to the first right answer; null: never. */
  toldAfter: z.number().min(0).nullable(),
  /** How many answers of the interval said each status. */
  said: z.record(z.string(), z.int().positive()),
})
const Answered = Judged.extend({
  /** The first right answer. */
  sentence: z.string().nullable(),
})
export type Judged = z.infer<typeof Judged>
export type Answered = z.infer<typeof Answered>

const Internet = z.strictObject({
  at: Instant,
  status: z.string(),
  blames: z.strictObject({ kind: z.string(), name: z.string() }).nullable(),
  summary: z.string(),
})

export const PlayRecord = z.strictObject({
  outage: z.string(),
  /** On the real path, or the parts that decide on a clock of their own. */
  clock: z.enum(['real', 'virtual']),
  /** By how many places the regions were moved on. */
  turn: z.int(),
  intervalSeconds: z.number().positive(),
  /** Share of answers without a measurement, since the machine of the replay held up its probes. */
  heldUp: z.number().min(0).max(1),
  /** Of each service: with too few nothing can be said of how soon an answer came. */
  answersPerInterval: z.number().min(0),
  /** The longest time between two queries, intervals: the machine did nothing meanwhile. */
  longestGap: z.number().min(0).optional(),
  ours: z.array(Answered),
  rule: z.array(Judged),
  /** Each time that another thing was said of one of its services, the first that fails. */
  spoken: z.array(
    z.strictObject({ at: Instant, service: z.string(), status: z.string(), summary: z.string() }),
  ),
  /** Each time that another thing was said of the internet as a whole. */
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
  told: readonly Told[]
  rule: readonly Told[]
  internet: readonly ToldOfInternet[]
}

export const recordOf = (played: Played): PlayRecord => {
  const { outage, clock, turn, intervalSeconds, documented, world, told } = played
  const at = (ms: number): string => new Date(Math.round(documentedMs(documented, world, ms))).toISOString()
  const judged = ({ slug, from, truth, toldAfterMs, said }: Verdict): Judged => ({
    service: slug,
    from: at(from),
    truth,
    toldAfter: toldAfterMs === null ? null : tenths(toldAfterMs / 1_000 / intervalSeconds),
    said: { ...said },
  })
  const sentenceOf = ({ slug, from, toldAfterMs }: Verdict): string | null =>
    told.find((one) => one.slug === slug && one.atMs - from === toldAfterMs)?.summary ?? null
  const speaker = failingFirst(documented)
  const own = told.filter(({ slug }) => slug === speaker)
  const keyOf = ({ status, blames }: ToldOfInternet): string => JSON.stringify([status, blames])
  return {
    outage,
    clock,
    turn,
    intervalSeconds,
    heldUp: told.filter(({ summary }) => summary.includes(heldUpWords)).length / told.length,
    answersPerInterval: tenths(
      told.length / documented.services.length / ((world.until - world.from) / 1_000 / intervalSeconds),
    ),
    longestGap: tenths(longestGapMs(own) / 1_000 / intervalSeconds),
    ours: judge(world, told).map((one) => ({ ...judged(one), sentence: sentenceOf(one) })),
    rule: judge(world, played.rule).map(judged),
    spoken: (clock === 'real' ? own : [])
      .filter(({ summary }, index) => unmeasured(summary) !== unmeasured(own[index - 1]?.summary))
      .slice(0, spokenMax)
      .map(({ atMs, slug, status, summary }) => ({ at: at(atMs), service: slug, status, summary })),
    internet: played.internet
      .filter((one, index) => {
        const before = played.internet[index - 1]
        return before === undefined || keyOf(before) !== keyOf(one)
      })
      .map(({ atMs, ...one }) => ({ at: at(atMs), ...one })),
  }
}

const spokenMax = 40
const heldUpWords = String(notMeasured.lagging.reason)
const heldUpMax = 0.02
const answersPerIntervalMin = 2

const longestGapMax = 1

const longestGapMs = (told: readonly Told[]): number =>
  Math.max(0, ...told.slice(1).map(({ atMs }, index) => atMs - (told[index]?.atMs ?? atMs)))

/** Why a replay is not kept: it says something of the machine, and nothing of the outage; null: it is. */
export const machineProblem = (record: PlayRecord): string | null => {
  const { heldUp, answersPerInterval, longestGap = 0 } = record
  if (longestGap > longestGapMax) return `no query was answered for ${longestGap} intervals`
  if (heldUp > heldUpMax)
    return `${(heldUp * 100).toFixed(0)} % of the answers have no measurement, since the probes were held up`
  return answersPerInterval < answersPerIntervalMin
    ? `only ${answersPerInterval} answers per interval, since this machine is busy`
    : null
}

const failingFirst = ({ services, conditions }: World): string =>
  conditions[0]?.services[0] ?? services[0]?.slug ?? ''

/** When it was measured is another time in each answer. */
const unmeasured = (summary: string | undefined): string | undefined =>
  summary?.replaceAll(/measured [\d: -]+ UTC/g, '')

const tenths = (value: number): number => Math.round(value * 10) / 10

const folder = new URL('../plays/', import.meta.url)

export const writeRecord = async (record: PlayRecord): Promise<void> => {
  const name = `${record.outage}.${record.clock}${record.turn === 0 ? '' : `.turned-${record.turn}`}.json`
  await writeFile(new URL(name, folder), `${JSON.stringify(record, null, 2)}\n`)
}

export const readRecords = async (): Promise<PlayRecord[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).toSorted()
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
  return texts.map((text) => PlayRecord.parse(JSON.parse(text)))
}
