// The simulation in a process of its own: its CPU is nobody else's, and its heap is large.
import { answerParent } from '../child.ts'
import { simulate } from './simulate.ts'
import type { SimulatedMesh, SimulationOutcome } from './simulate.ts'

export type SimulationQuestion = { mesh: SimulatedMesh; directory: string }

answerParent(({ mesh, directory }: SimulationQuestion): Promise<SimulationOutcome> =>
  simulate(mesh, directory, (line) => console.error(`  ${line}`)),
)
