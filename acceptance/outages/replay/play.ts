import { setTimeout as elapse } from 'node:timers/promises'
import { compressed, shifted, withoutLongStretches } from '../altered.ts'
import { conditionAt, nextChangeMs } from '../condition-at.ts'
import { vantages } from '../world.ts'
import type { World } from '../world.ts'
import type { Stage } from './stage.ts'
import type { Told } from './timeline.ts'

/** An interval of production, which a replay passes in less. */
const productionIntervalSeconds = 60
/** Of the documented outage: what lasts longer is cut. */
const stretchMsMax = 6 * 60_000
const warmMsMax = 120_000
const askMs = 1_000
const reportsPerReporter = 100
const reportersMax = 60

/** The world as it is played from an instant on. @param intervalSeconds between readings */
export const playedFrom = (documented: World, intervalSeconds: number, nowMs: number): World => {
  const factor = productionIntervalSeconds / intervalSeconds
  const faster = compressed(withoutLongStretches(documented, stretchMsMax), factor)
  return shifted(faster, nowMs - faster.from)
}

/** Waits until every service of the world was seen to work. */
export const untilAllUp = async ({ services }: World, stage: Stage): Promise<void> => {
  const endMs = Date.now() + warmMsMax
  for (;;) {
    const told = await askAll(
      stage,
      services.map(({ slug }) => slug),
    )
    const missing = told.filter(({ status }) => status !== 'up')
    if (missing.length === 0) return
    if (Date.now() > endMs) throw new Error(`not up: ${missing.map(({ slug }) => slug).join(', ')}`)
    await elapse(askMs)
  }
}

/** What was said of the internet as a whole. */
export type ToldOfInternet = { atMs: number; status: string; summary: string }

/** Plays a world to its end and asks about its services all the while. */
export const play = async (
  world: World,
  stage: Stage,
  onTold: (told: readonly Told[], internet: ToldOfInternet) => void,
): Promise<{ told: Told[]; internet: ToldOfInternet[] }> => {
  const slugs = world.services.map(({ slug }) => slug)
  const all: Told[] = []
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
    const asked = await stage.asker.ask('isTheInternetDown')
    const whole = asked.ok
      ? { atMs: Date.now(), status: asked.answer.status, summary: asked.answer.summary }
      : { atMs: Date.now(), status: 'refused', summary: asked.problem.message }
    all.push(...told)
    internet.push(whole)
    onTold(told, whole)
    const untilChangeMs = (changesAtMs ?? Number.POSITIVE_INFINITY) - Date.now()
    await elapse(Math.max(0, Math.min(askMs, untilChangeMs)))
  }
  return { told: all, internet }
}

/** What thousands reported elsewhere, as a share of them here: each visitor has an address of its own. */
const report = async (
  { asker }: Stage,
  of: World['reports'][number] | undefined,
): Promise<void> => {
  if (of === undefined) return
  const visitors = Math.min(reportersMax, Math.ceil(of.count / reportsPerReporter))
  await Promise.all(Array.from({ length: visitors }, () => asker.report(of.service, null)))
}

const askAll = async ({ asker }: Stage, slugs: readonly string[]): Promise<Told[]> =>
  Promise.all(
    slugs.map(async (slug) => {
      const told = await asker.ask('isServiceDown', { params: { slug } })
      const atMs = Date.now()
      if (!told.ok) return { atMs, slug, status: 'refused', summary: told.problem.message }
      return { atMs, slug, status: told.answer.status, summary: told.answer.summary }
    }),
  )
