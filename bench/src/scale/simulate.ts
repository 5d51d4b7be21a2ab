import { checkIdsByPartition } from './check-ids.ts'
import type { Mesh } from './mesh.ts'
import { createRunCounts } from './run-counts.ts'
import { simulatePartition } from './simulate-partition.ts'
import type { PartitionOutcome } from './simulate-partition.ts'
import { createStageMeter } from './stages.ts'
import type { Stage } from './stages.ts'

/** @param partitions how many of the 16: each is as full as if all were there */
export type SimulatedMesh = Mesh & { checks: number; partitions: number }

/** What came of the partitions. */
export type SimulationOutcome = {
  partitions: readonly PartitionOutcome[]
  /** CPU seconds of each stage. */
  seconds: Readonly<Record<Stage, number>>
  /** Runs of the first minute. */
  runs: { bySecond: number[]; byRegionSecond: number[][]; byAgent: number[] }
}

/**
 * A minute or two of the whole mesh, one partition after another: what happens in one concerns no
 * other, so that the memory of one is enough.
 */
export const simulate = async (
  mesh: SimulatedMesh,
  directory: string,
  say: (line: string) => void,
): Promise<SimulationOutcome> => {
  const meter = createStageMeter()
  const counts = createRunCounts(mesh.regions)
  const partitions: PartitionOutcome[] = []
  const all = checkIdsByPartition(mesh.checks).entries()
  for (const [partition, checkIds] of all.take(mesh.partitions)) {
    const options = { partition, checkIds, directory, meter, counts }
    const outcome = await simulatePartition(mesh, options)
    partitions.push(outcome)
    const { checks, stored, due } = outcome
    say(`partition ${partition}: ${checks} checks, ${stored} of ${due} slots stored`)
  }
  const { bySecond, byRegionSecond, byAgent } = counts
  return {
    partitions,
    seconds: meter.seconds,
    runs: { bySecond: bySecond(), byRegionSecond: byRegionSecond(), byAgent: byAgent() },
  }
}

/** What must be nothing. */
export const promises = ['duplicates', 'strangers', 'lost', 'wrongFlips', 'poison'] as const

export const sumOf = (
  { partitions }: Pick<SimulationOutcome, 'partitions'>,
  name: keyof PartitionOutcome,
): number => partitions.reduce((sum, outcome) => sum + outcome[name], 0)
