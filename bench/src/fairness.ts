import { attacks } from '@probe-mesh/acceptance/fairness/attacks/attacks'
import { readChecks } from '@probe-mesh/acceptance/fairness/reader'
import { startStage, type Stage } from '@probe-mesh/acceptance/fairness/stage'
import { underAttack } from '@probe-mesh/acceptance/fairness/under-attack'
import type { BenchContext } from './harness/run-bench.ts'
import { median, percentile } from './harness/statistics.ts'

/** The attackers: two paying accounts, or fifty free ones. */
const groups = [
  { name: 'two', count: 2, tier: 'growth' },
  { name: 'fifty', count: 50, tier: 'free' },
] as const

/** Every measurement of the victim's delays, ms. */
type Seen = { told: number[]; run: number[]; event: number[]; read: number[] }
const sights = ['told', 'run', 'event', 'read'] as const
const wholeSight: Readonly<Record<keyof Seen, string>> = {
  told: 'an outage until its alert has come',
  run: 'a run now, in four regions',
  event: 'an error event until it is listed',
  read: 'the 99th percentile of reads of the dashboard',
}
/** Keeps the reads within the rate limit of one user, beside those that poll. */
const betweenReadsMs = 130
/** Under any attack, at most twice the delay in calm. */
const aim = { atMost: 2 }

/**
 * The delays of an account with little load while other accounts use all of their quotas, beside the same delays
 * in calm. Single measurements in calm differ by a multiple, so that those before every attack of a group are
 * taken together.
 */
export const measureFairness = async (context: BenchContext): Promise<void> => {
  const { quick, log, report } = context
  for (const { name, count, tier } of quick ? groups.slice(0, 1) : groups) {
    const stage = await startStage()
    try {
      const calm: Seen = { told: [], run: [], event: [], read: [] }
      const attacked = new Map<string, Seen>()
      for (const attack of attacks) {
        log(`${count} accounts: ${attack.name}`)
        // each with quotas and networks of its own
        const people = await stage.attackers(count, tier)
        const before = await look(stage, quick)
        const seen = await underAttack(stage, attack, people, () => look(stage, quick))
        for (const sight of sights) calm[sight].push(...before[sight])
        attacked.set(attack.name, seen)
        log(sights.map((sight) => describe(sight, before, seen)).join(', '))
      }
      for (const sight of sights) {
        const calmMs = figureOf(sight, calm)
        const ratios = [...attacked].map(
          ([attack, seen]) => [attack, figureOf(sight, seen) / calmMs] as const,
        )
        report({
          figure: `fairness_${name}_${sight}_ratio`,
          value: Math.max(...ratios.map(([, ratio]) => ratio)),
          unit: 'of calm',
          aim,
          context: { of: wholeSight[sight], calmMs, ...Object.fromEntries(ratios) },
        })
      }
    } finally {
      await stage.close()
    }
  }
}

const figureOf = (sight: keyof Seen, seen: Seen): number =>
  sight === 'read' ? percentile(seen.read, 0.99) : median(seen[sight])

const describe = (sight: keyof Seen, calm: Seen, attacked: Seen): string =>
  `${sight} ${figureOf(sight, calm).toFixed(0)} -> ${figureOf(sight, attacked).toFixed(0)} ms`

const look = async (stage: Stage, quick: boolean): Promise<Seen> => {
  const { victim } = stage
  const repeats = quick ? 1 : 3
  const seen: Seen = { told: [], run: [], event: [], read: [] }
  for (let repeat = 0; repeat < repeats; repeat++) {
    seen.told.push(await victim.outageIsNotified())
    for (let run = 0; run < 3; run++) seen.run.push((await victim.runNow()).took)
    seen.event.push(await victim.eventIsStored())
    await victim.recoveryIsNotified()
  }
  seen.read = await readChecks(stage, { count: quick ? 30 : 120, betweenMs: betweenReadsMs })
  return seen
}
