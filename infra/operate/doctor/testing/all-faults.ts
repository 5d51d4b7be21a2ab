import type { Fault } from './fault.ts'
import { faultsOfAgents } from './faults-of-agents.ts'
import { faultsOfParts } from './faults-of-parts.ts'
import { faultsOfDatabases } from './faults-of-databases.ts'
import { faultsOfProbes } from './faults-of-probes.ts'
import { faultsOfSettings } from './faults-of-settings.ts'

/** Every fault of `docs/doctor.md`, in its order. */
export const allFaults: readonly Fault[] = [
  ...faultsOfParts,
  ...faultsOfDatabases,
  ...faultsOfSettings,
  ...faultsOfAgents,
  ...faultsOfProbes,
]
