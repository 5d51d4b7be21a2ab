import { setTimeout as elapse } from 'node:timers/promises'
import type { AnswerResult as Asked } from '../../scenarios/answer-client.ts'
import { compressed, shifted, withoutLongStretches } from '../altered.ts'
import { conditionAt, nextChangeMs } from '../condition-at.ts'
import { vantages, type World } from '../world.ts'
import type { Stage } from './stage.ts'
import { majorityOf, type TimedAnswer } from './timeline.ts'

/** The interval of production, which a replay compresses. */
const productionIntervalSeconds = 60
/** Maximum intervals of a stretch without changes. */
export const stretchIntervalsMax = 4
const stretchMsMax = stretchIntervalsMax * productionIntervalSeconds * 1_000
const warmMsMax = 240_000
const queryMs = 1_000
const reportsPerReporter = 100
const reportersMax = 60

/** The world for a replay from an instant on. @param intervalSeconds between readings */
export const playedFrom = (documented: World, intervalSeconds: number, nowMs: number): World => {
  const factor = productionIntervalSeconds / intervalSeconds
  const faster = compressed(withoutLongStretches(documented, stretchMsMax), factor)
  return shifted(faster, nowMs - faster.from)
}

/** Waits until every service of the world works from every region. */
export const untilAllUp = async ({ services }: World, stage: Stage): Promise<void> => {
  const endMs = Date.now() + warmMsMax
  for (;;) {
    const missing = []
    for (const { slug } of services) {
      const result = await stage.client.query('isServiceDown', { params: { slug } })
      const isUp = result.ok && result.answer.status === 'up'
      const read = result.ok ? result.answer.regionsRead.length : 0
      if (!isUp || read < vantages.length) missing.push(slug)
    }
    if (missing.length === 0) return
    if (Date.now() > endMs) throw new Error(`not up: ${missing.join(', ')}`)
    await elapse(queryMs)
  }
}

/** An answer about the internet as a whole. */
export type InternetAnswer = {
  atMs: number
  status: string
  /** The cause in the answer: a shared factor or one vendor. */
  blames: { kind: string; name: string } | null
  summary: string
}

/** Plays a world to its end and queries its services continuously. */
export const play = async (
  world: World,
  stage: Stage,
  onAnswers: (answers: readonly TimedAnswer[], internet: InternetAnswer) => void,
): Promise<{ answers: TimedAnswer[]; rule: TimedAnswer[]; internet: InternetAnswer[] }> => {
  const slugs = world.services.map(({ slug }) => slug)
  const all: TimedAnswer[] = []
  const rule: TimedAnswer[] = []
  const internet: InternetAnswer[] = []
  const reports = [...world.reports]
  let changesAtMs: number | null = world.from
  while (Date.now() < world.until) {
    const nowMs = Date.now()
    if (changesAtMs !== null && nowMs >= changesAtMs) {
      for (const region of vantages) {
        const states = slugs.map((slug) => [slug, conditionAt(world, region, slug, nowMs)] as const)
        stage.play(region, Object.fromEntries(states))
      }
      changesAtMs = nextChangeMs(world, nowMs)
    }
    while (reports[0] !== undefined && reports[0].at <= nowMs) await report(stage, reports.shift())
    const answers = await queryAll(stage, slugs)
    const outcome = await stage.client.query('isTheInternetDown')
    const whole = internetAnswer(outcome)
    all.push(...answers)
    rule.push(...slugs.map((slug) => ruleSays(slug, stage.probed(slug))))
    internet.push(whole)
    onAnswers(answers, whole)
    const untilChangeMs = (changesAtMs ?? Number.POSITIVE_INFINITY) - Date.now()
    await elapse(Math.max(0, Math.min(queryMs, untilChangeMs)))
  }
  return { answers: all, rule, internet }
}

const internetAnswer = (outcome: InternetResult): InternetAnswer => {
  const atMs = Date.now()
  if (!outcome.ok) return { atMs, status: 'refused', blames: null, summary: outcome.problem.message }
  const { status, summary, sharedIncident, vendorOutage } = outcome.answer
  const vendor = vendorOutage === null ? null : { kind: 'vendor', name: vendorOutage.vendor }
  return { atMs, status, summary, blames: sharedIncident?.factor ?? vendor }
}

const ruleSays = (slug: string, probed: readonly boolean[]): TimedAnswer => ({
  atMs: Date.now(),
  slug,
  status: majorityOf(probed),
  summary: '',
})

/** Sends a share of the reports that thousands made elsewhere, each visitor with its own address. */
const report = async ({ client }: Stage, of: World['reports'][number] | undefined): Promise<void> => {
  if (of === undefined) return
  const visitors = Math.min(reportersMax, Math.ceil(of.count / reportsPerReporter))
  await Promise.all(Array.from({ length: visitors }, () => client.report(of.service, null)))
}

type InternetResult = Asked<'isTheInternetDown'>

const queryAll = async ({ client }: Stage, slugs: readonly string[]): Promise<TimedAnswer[]> =>
  Promise.all(
    slugs.map(async (slug) => {
      const result = await client.query('isServiceDown', { params: { slug } })
      const atMs = Date.now()
      if (!result.ok) return { atMs, slug, status: 'refused', summary: result.problem.message }
      return { atMs, slug, status: result.answer.status, summary: result.answer.summary }
    }),
  )
