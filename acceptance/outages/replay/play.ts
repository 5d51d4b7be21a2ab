import { setTimeout as elapse } from 'node:timers/promises'
import type { AnswerResult as Asked } from '../../scenarios/answer-client.ts'
import { compressed, shifted, withoutLongStretches } from '../altered.ts'
import { conditionAt, nextChangeMs } from '../condition-at.ts'
import { vantages } from '../world.ts'
import type { World } from '../world.ts'
import type { Stage } from './stage.ts'
import { majorityOf } from './timeline.ts'
import type { Told } from './timeline.ts'

/** An interval of production, which a replay passes in less. */
const productionIntervalSeconds = 60
/** Maximum intervals of a stretch without changes. */
export const stretchIntervalsMax = 4
const stretchMsMax = stretchIntervalsMax * productionIntervalSeconds * 1_000
const warmMsMax = 240_000
const askMs = 1_000
const reportsPerReporter = 100
const reportersMax = 60

/** The world as it is played from an instant on. @param intervalSeconds between readings */
export const playedFrom = (documented: World, intervalSeconds: number, nowMs: number): World => {
  const factor = productionIntervalSeconds / intervalSeconds
  const faster = compressed(withoutLongStretches(documented, stretchMsMax), factor)
  return shifted(faster, nowMs - faster.from)
}

/** Waits until every service of the world was seen to work from every region. */
export const untilAllUp = async ({ services }: World, stage: Stage): Promise<void> => {
  const endMs = Date.now() + warmMsMax
  for (;;) {
    const missing = []
    for (const { slug } of services) {
      const told = await stage.client.query('isServiceDown', { params: { slug } })
      const isUp = told.ok && told.answer.status === 'up'
      const read = told.ok ? told.answer.regionsRead.length : 0
      if (!isUp || read < vantages.length) missing.push(slug)
    }
    if (missing.length === 0) return
    if (Date.now() > endMs) throw new Error(`not up: ${missing.join(', ')}`)
    await elapse(askMs)
  }
}

/** What was said of the internet as a whole. */
export type ToldOfInternet = {
  atMs: number
  status: string
  /** What it blames: a shared factor, or one vendor. */
  blames: { kind: string; name: string } | null
  summary: string
}

/** Plays a world to its end and asks about its services all the while. */
export const play = async (
  world: World,
  stage: Stage,
  onTold: (told: readonly Told[], internet: ToldOfInternet) => void,
): Promise<{ told: Told[]; rule: Told[]; internet: ToldOfInternet[] }> => {
  const slugs = world.services.map(({ slug }) => slug)
  const all: Told[] = []
  const rule: Told[] = []
  const internet: ToldOfInternet[] = []
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
    const told = await askAll(stage, slugs)
    const asked = await stage.client.query('isTheInternetDown')
    const whole = toldOfInternet(asked)
    all.push(...told)
    rule.push(...slugs.map((slug) => ruleSays(slug, stage.probed(slug))))
    internet.push(whole)
    onTold(told, whole)
    const untilChangeMs = (changesAtMs ?? Number.POSITIVE_INFINITY) - Date.now()
    await elapse(Math.max(0, Math.min(askMs, untilChangeMs)))
  }
  return { told: all, rule, internet }
}

const toldOfInternet = (asked: AskedInternet): ToldOfInternet => {
  const atMs = Date.now()
  if (!asked.ok) return { atMs, status: 'refused', blames: null, summary: asked.problem.message }
  const { status, summary, sharedIncident, vendorOutage } = asked.answer
  const vendor = vendorOutage === null ? null : { kind: 'vendor', name: vendorOutage.vendor }
  return { atMs, status, summary, blames: sharedIncident?.factor ?? vendor }
}

const ruleSays = (slug: string, probed: readonly boolean[]): Told => ({
  atMs: Date.now(),
  slug,
  status: majorityOf(probed),
  summary: '',
})

/** What thousands reported elsewhere, as a share of them here: each visitor has an address of its own. */
const report = async ({ client }: Stage, of: World['reports'][number] | undefined): Promise<void> => {
  if (of === undefined) return
  const visitors = Math.min(reportersMax, Math.ceil(of.count / reportsPerReporter))
  await Promise.all(Array.from({ length: visitors }, () => client.report(of.service, null)))
}

type AskedInternet = Asked<'isTheInternetDown'>

const askAll = async ({ client }: Stage, slugs: readonly string[]): Promise<Told[]> =>
  Promise.all(
    slugs.map(async (slug) => {
      const told = await client.query('isServiceDown', { params: { slug } })
      const atMs = Date.now()
      if (!told.ok) return { atMs, slug, status: 'refused', summary: told.problem.message }
      return { atMs, slug, status: told.answer.status, summary: told.answer.summary }
    }),
  )
