import { wholeProduct } from '@probe-mesh/acceptance/fairness/attacks/whole-product'
import { readChecks } from '@probe-mesh/acceptance/fairness/reader'
import { startStage } from '@probe-mesh/acceptance/fairness/stage'
import { underAttack } from '@probe-mesh/acceptance/fairness/under-attack'
import type { BenchContext } from './harness/run-bench.ts'
import { median, percentile } from './harness/statistics.ts'

const attackers = 3
const aims = { p50: { atMost: 4 }, p99: { atMost: 4 } }

/**
 * Reads of one account while three others use the whole product without a pause, beside the same reads in calm.
 * The attackers' clients run on the same cores.
 */
export const measureReads = async ({ quick, log, report }: BenchContext): Promise<void> => {
  const rounds = quick ? 1 : 3
  const reads = { count: quick ? 100 : 200, betweenMs: 60 }
  const ratios: Record<keyof typeof aims, number[]> = { p50: [], p99: [] }
  for (let round = 0; round < rounds; round++) {
    const stage = await startStage()
    try {
      const people = await stage.attackers(attackers, 'growth')
      const calm = await readChecks(stage, reads)
      const attacked = await underAttack(stage, wholeProduct, people, () => readChecks(stage, reads))
      for (const [name, of] of [
        ['p50', median],
        ['p99', (seen: number[]) => percentile(seen, 0.99)],
      ] as const) {
        log(`reads, ${name}: ${of(calm).toFixed(1)} -> ${of(attacked).toFixed(1)} ms`)
        ratios[name].push(of(attacked) / of(calm))
      }
    } finally {
      await stage.close()
    }
  }
  for (const name of ['p50', 'p99'] as const) {
    report({ figure: `reads_${name}_ratio`, value: median(ratios[name]), unit: 'of calm', aim: aims[name] })
  }
}
