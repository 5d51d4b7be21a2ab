import type { BenchContext } from '../run-bench.ts'
import { checkIdsByPartition } from './check-ids.ts'
import { unevenness } from './run-counts.ts'
import { promises, sumOf } from './simulate.ts'
import type { SimulatedMesh, SimulationOutcome } from './simulate.ts'
import { stages } from './stages.ts'

type Report = Pick<BenchContext, 'report'>

/** What became of the slots of a simulation: `slots_` and `faults_slots_`. */
const reportLedger = (
  { report }: Report,
  prefix: '' | 'faults_',
  mesh: SimulatedMesh,
  outcome: SimulationOutcome,
): void => {
  const { checks, agentsPerRegion, minutes, partitions } = mesh
  const simulated = sumOf(outcome, 'checks')
  const regions = mesh.regions.length
  const context = { checks, regions, agentsPerRegion, minutes, partitions, simulated }
  report({ figure: `${prefix}slots_due`, value: sumOf(outcome, 'due'), unit: 'slots', context })
  report({ figure: `${prefix}slots_stored`, value: sumOf(outcome, 'stored'), unit: 'slots' })
  for (const name of promises) {
    const figure = `${prefix}slots_${snake(name)}`
    report({ figure, value: sumOf(outcome, name), unit: 'count', aim: { atMost: 0 } })
  }
}

/** The figures of a simulation in which parts die. */
export const reportFaults = (
  context: Report,
  mesh: SimulatedMesh,
  outcome: SimulationOutcome,
): void => {
  reportLedger(context, 'faults_', mesh, outcome)
  const figures = [
    ['faults_slots_lost_with_a_killed_agent', sumOf(outcome, 'lostWithAgent'), 'slots'],
    ['faults_twins_left_out', sumOf(outcome, 'twins'), 'readings'],
    ['faults_checks_flipped', sumOf(outcome, 'flipped'), 'checks'],
    ['faults_stream_bytes_held_max', sumOf(outcome, 'heldBytesMax'), 'bytes'],
  ] as const
  for (const [figure, value, unit] of figures) context.report({ figure, value, unit })
}

/** The figures of a simulated minute in which nothing happens but the load. */
export const reportPeace = (
  context: Report,
  mesh: SimulatedMesh,
  outcome: SimulationOutcome,
): void => {
  reportLedger(context, '', mesh, outcome)
  const { report } = context
  const { runs } = outcome
  const evenness = [
    ['seconds_max_to_mean', runs.bySecond],
    ['agents_max_to_mean', runs.byAgent],
    ['partitions_max_to_mean', checkIdsByPartition(mesh.checks).map(({ length }) => length)],
  ] as const
  for (const [figure, shares] of evenness) {
    report({
      figure,
      value: unevenness(shares),
      unit: 'ratio',
      context: { shares: shares.length, max: Math.max(...shares), min: Math.min(...shares) },
    })
  }
  report({
    figure: 'seconds_of_a_region_max_to_mean',
    value: Math.max(...runs.byRegionSecond.map(unevenness)),
    unit: 'ratio',
  })
  const published = sumOf(outcome, 'rows') + sumOf(outcome, 'twins')
  const figures = [
    ['readings_per_message', published / sumOf(outcome, 'messages'), 'readings'],
    ['payload_bytes_per_reading', sumOf(outcome, 'payloadBytes') / published, 'bytes'],
    ['wire_bytes_per_reading', sumOf(outcome, 'wireBytes') / published, 'bytes'],
    ['state_writes_per_reading', sumOf(outcome, 'stateWrites') / published, 'ratio'],
    ['store_questions_per_reading', sumOf(outcome, 'asked') / published, 'ratio'],
  ] as const
  for (const [figure, value, unit] of figures) report({ figure, value, unit })
  for (const stage of stages) {
    report({
      figure: `${stage}_cpu_per_1000000_readings`,
      value: (outcome.seconds[stage] / published) * 1_000_000,
      unit: 'CPU s',
    })
  }
}

const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
