import {
  isWithinLimits,
  tableOf,
  type Outcome,
} from '@probe-mesh/control-plane/src/public-answers/simulation/outcome'
import { reliabilityTable } from '@probe-mesh/control-plane/src/public-answers/simulation/reliability'
import {
  shortExtent,
  simulateRules,
  wholeExtent,
} from '@probe-mesh/control-plane/src/public-answers/simulation/simulate-rules'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { loadCatalog } from '@probe-mesh/infra/start/processes/control-plane-catalog'
import type { BenchContext } from './harness/run-bench.ts'

/** Not the seeds of the tests, with which the rules were tuned. */
const seeds = [611, 2_026, 90_210]

/**
 * The statistical rules of the outage answers against simulated years of the shipped catalog, beside the limit of
 * each. A missed speed fails nothing, but a rule beyond its limit is broken: the process exits with 1.
 */
export const measureRules = async ({ quick, log, report }: BenchContext): Promise<void> => {
  const loaded = await loadCatalog({ catalogFile: null, targetAllow: allowNothing })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const { services } = loaded.catalog.catalog
  const runs: Outcome[][] = []
  for (const seed of quick ? seeds.slice(0, 1) : seeds) {
    log(`seed ${seed}: a minute and more of simulated years`)
    const outcomes = simulateRules(services, quick ? shortExtent : wholeExtent, seed)
    log(`\n${tableOf(outcomes)}\n`)
    runs.push(outcomes)
  }
  const predictions = runs.flat().flatMap((outcome) => outcome.predictions ?? [])
  log(`the confidence of ${predictions.length} shared incidents\n${reliabilityTable(predictions)}\n`)
  for (const [index, { rule }] of (runs[0] ?? []).entries()) {
    reportRule(
      report,
      rule,
      runs.flatMap((outcomes) => outcomes[index] ?? []),
    )
  }
  const broken = runs.flat().filter((outcome) => !isWithinLimits(outcome))
  for (const { rule } of broken) log(`beyond its limits: ${rule}`)
  if (broken.length > 0) process.exitCode = 1
}

/** Reports the worst of the seeds. */
const reportRule = (report: BenchContext['report'], rule: string, outcomes: readonly Outcome[]): void => {
  const [first] = outcomes
  if (first === undefined) return
  const name = rule.replaceAll(' ', '_')
  const alarms = outcomes.map((outcome) => outcome.falseAlarmsPerMonth)
  report({
    figure: `${name}_false_alarms`,
    value: Math.max(...alarms),
    unit: `a month ${first.per}`,
    aim: { atMost: first.falseAlarmsPerMonthMax },
    context: {
      runs: alarms,
      falseAlarms: outcomes.map((outcome) => outcome.falseAlarms),
      simulatedDays: first.simulatedDays,
    },
  })
  const delays = outcomes.map(({ delayMinutes }) => delayMinutes.p95)
  report({
    figure: `${name}_delay_p95`,
    value: Math.max(...delays),
    unit: 'minutes',
    aim: { atMost: first.delayMinutesMax },
    context: {
      runs: delays,
      p50: outcomes.map(({ delayMinutes }) => delayMinutes.p50),
      found: outcomes.map((outcome) => outcome.found),
      events: outcomes.map((outcome) => outcome.events),
    },
  })
}
