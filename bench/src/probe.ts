import { withFolder } from './harness/scope.ts'
import { measureCost } from './probe/cost.ts'
import { measureInflation } from './probe/inflation.ts'
import { measureMemory } from './probe/memory.ts'
import { measureSilentNames } from './probe/silent-names.ts'
import { startTargets } from './probe/targets.ts'
import type { BenchContext } from './harness/run-bench.ts'

/** What a check costs the agent, and whether checks leave one another alone. */
export const measureProbe = (context: BenchContext): Promise<void> =>
  withFolder(async (folder) => {
    const targets = await startTargets()
    try {
      await measureCost(context, folder, targets)
      await measureMemory(context, targets)
      await measureInflation(context, targets)
      await measureSilentNames(context, targets)
    } finally {
      await targets.close()
    }
  })
