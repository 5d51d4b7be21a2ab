import { setTimeout } from 'node:timers/promises'
import { attacks } from '@probe-mesh/acceptance/fairness/attacks/attacks'
import type { Attack } from '@probe-mesh/acceptance/fairness/attacks/attack'
import type { Person } from '@probe-mesh/acceptance/fairness/person'
import { startStage } from '@probe-mesh/acceptance/fairness/stage'
import type { Stage } from '@probe-mesh/acceptance/fairness/stage'
import { underAttack } from '@probe-mesh/acceptance/fairness/under-attack'
import type { BenchContext } from './run-bench.ts'
import { median, percentile } from './statistics.ts'

/** Who attacks: two accounts that pay, or as many as open fifty accounts for nothing. */
const groups = [
  { name: 'two', count: 2, tier: 'growth' },
  { name: 'fifty', count: 50, tier: 'free' },
] as const

/** A look at what the victim sees: each value in ms. */
type Seen = { told: number; run: number; event: number; read: number }
const sights = ['told', 'run', 'event', 'read'] as const
const wholeSight: Readonly<Record<keyof Seen, string>> = {
  told: 'an outage until its alert has come',
  run: 'a run now, in four regions',
  event: 'an error event until it is listed',
  read: 'the 99th percentile of reads of the dashboard',
}
/** A user has a budget of reads: so many a minute are within it, beside those that wait for something. */
const betweenReadsMs = 130
/** Under any attack, at most twice what it is in calm. */
const aim = { atMost: 2 }

/**
 * What accounts that use all that they are given cost one that asks for little: each delay under attack beside the
 * same delay in calm, measured by turns in the same run.
 */
export const measureFairness = async (context: BenchContext): Promise<void> => {
  const { quick, say, report } = context
  for (const { name, count, tier } of quick ? groups.slice(0, 1) : groups) {
    const stage = await startStage()
    try {
      const ratios: Record<keyof Seen, Record<string, number>> = {
        told: {},
        run: {},
        event: {},
        read: {},
      }
      for (const attack of attacks) {
        say(`${count} accounts: ${attack.name}`)
        // each with budgets of its own, and networks
        const people = await stage.attackers(count, tier)
        const { calm, attacked } = await compare(stage, attack, people, quick)
        for (const sight of sights) ratios[sight][attack.name] = attacked[sight] / calm[sight]
        say(sights.map((sight) => describe(sight, calm, attacked)).join(', '))
      }
      for (const sight of sights) {
        report({
          figure: `fairness_${name}_${sight}_ratio`,
          value: Math.max(...Object.values(ratios[sight])),
          unit: 'of calm',
          aim,
          context: { of: wholeSight[sight], ...ratios[sight] },
        })
      }
    } finally {
      await stage.close()
    }
  }
}

const describe = (sight: keyof Seen, calm: Seen, attacked: Seen): string =>
  `${sight} ${calm[sight].toFixed(0)} -> ${attacked[sight].toFixed(0)} ms`

const compare = async (
  stage: Stage,
  attack: Attack,
  people: readonly Person[],
  quick: boolean,
): Promise<{ calm: Seen; attacked: Seen }> => {
  const calm = await look(stage, quick)
  const attacked = await underAttack(stage, attack, people, () => look(stage, quick))
  return { calm, attacked }
}

const look = async ({ victim }: Stage, quick: boolean): Promise<Seen> => {
  const repeats = quick ? 1 : 3
  const series: Record<Exclude<keyof Seen, 'read'>, number[]> = { told: [], run: [], event: [] }
  for (let repeat = 0; repeat < repeats; repeat++) {
    series.told.push(await victim.outageIsTold())
    for (let run = 0; run < 3; run++) series.run.push((await victim.runNow()).took)
    series.event.push(await victim.eventIsStored())
    await victim.recoveryIsTold()
  }
  const reads: number[] = []
  for (let read = 0; read < (quick ? 30 : 120); read++) {
    reads.push(await victim.read())
    await setTimeout(betweenReadsMs)
  }
  return {
    told: median(series.told),
    run: median(series.run),
    event: median(series.event),
    read: percentile(reads, 0.99),
  }
}
