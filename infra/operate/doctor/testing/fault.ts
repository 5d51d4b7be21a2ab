import type { Finding } from '../findings/finding.ts'
import type { FaultyMesh } from './faulty-mesh.ts'

/** A fault that an operator can have, as it is planted, found, and mended by what the finding says. */
export type Fault = {
  /** For people, as the table shows it. */
  planted: string
  plant(mesh: FaultyMesh): Promise<void>
  found: { level: Finding['level']; topic: string; message: RegExp }
  /** In what the finding says to do; its groups are the command or setting that is applied. */
  remedy: RegExp
  /** As the table shows it. */
  applied: string
  apply(mesh: FaultyMesh, said: Readonly<Record<string, string>>): Promise<void>
  /** Back to what the next fault starts from, where the remedy leads elsewhere. */
  restore?(mesh: FaultyMesh): Promise<void>
}
