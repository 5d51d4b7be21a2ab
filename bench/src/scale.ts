import { askOnce } from './child.ts'
import { withFolder } from './folder.ts'
import type { BenchContext } from './run-bench.ts'
import { measureMemory } from './scale/memory.ts'
import { measureNats } from './scale/nats.ts'
import { measurePostgres } from './scale/postgres.ts'
import { reportFaults, reportPeace } from './scale/report-simulation.ts'
import { promises, sumOf } from './scale/simulate.ts'
import type { SimulatedMesh, SimulationOutcome } from './scale/simulate.ts'
import type { SimulationQuestion } from './scale/simulation-process.ts'
import { tenRegions } from './scale/ten-regions.ts'

const script = new URL('scale/simulation-process.ts', import.meta.url)

/** As many agents a region as `docs/scale.md` derives, and a minute of everything: 10,000,000 slots. */
const peaceful: SimulatedMesh = {
  checks: 1_000_000,
  regions: tenRegions,
  agentsPerRegion: 52,
  intervalSeconds: 60,
  minutes: 1,
  stepMs: 20,
  partitions: 16,
}
/** A tenth of the checks for a tenth of the agents: 1,000,000 slots a minute. */
const faulty: SimulatedMesh = { ...peaceful, checks: 100_000, agentsPerRegion: 5, minutes: 2 }

/**
 * A million checks in ten regions: a simulated minute of their slots through the code of the product,
 * two of a tenth of them in which parts die, and what of a check is remembered and written. Ends with 1
 * where a slot is lost or stored twice.
 */
export const measureScale = async (context: BenchContext): Promise<void> => {
  const { quick, say } = context
  await withFolder(async (folder) => {
    const simulateOnce = async (mesh: SimulatedMesh): Promise<SimulationOutcome> => {
      const checks = quick ? mesh.checks / 50 : mesh.checks
      say(`simulation: ${mesh.minutes} min of ${checks} checks in ${mesh.regions.length} regions`)
      const question = { mesh: { ...mesh, checks }, directory: folder } satisfies SimulationQuestion
      const flags = ['--max-old-space-size=6144']
      const outcome = await askOnce<SimulationOutcome>(script, question, flags)
      for (const name of promises) {
        const count = sumOf(outcome, name)
        if (count === 0) continue
        say(`broken: ${count} ${name}`)
        process.exitCode = 1
      }
      return outcome
    }
    await measureMemory(context)
    await measurePostgres({ ...context, folder })
    reportFaults(context, faulty, await simulateOnce(faulty))
    const outcome = await simulateOnce(peaceful)
    reportPeace(context, peaceful, outcome)
    const messageBytes = Math.round(sumOf(outcome, 'payloadBytes') / sumOf(outcome, 'messages'))
    await measureNats({ ...context, folder, messageBytes })
  })
}
