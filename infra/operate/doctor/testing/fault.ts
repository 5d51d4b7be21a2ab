import type { Finding } from '../findings/finding.ts'
import type { FaultyMesh } from './faulty-mesh.ts'

/** A fault of an operator: how it is created, found, and fixed as the finding says. */
export type Fault = {
  /** For people, as in the table. */
  planted: string
  plant(mesh: FaultyMesh): Promise<void>
  found: { level: Finding['level']; topic: string; message: RegExp }
  /** Matches the remedy of the finding; its groups are the command or setting to apply. */
  remedy: RegExp
  apply(mesh: FaultyMesh, said: Readonly<Record<string, string>>): Promise<void>
  /** Restores the start state for the next fault, if the remedy leads elsewhere. */
  restore?(mesh: FaultyMesh): Promise<void>
}
