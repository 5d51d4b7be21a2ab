import type { FaultRow } from './rows/row.ts'
import { machineRows } from './rows/machines.ts'
import { processRows } from './rows/processes.ts'
import { targetRows } from './rows/targets.ts'

/** Every fault with a promise, by its number. */
export const faultRows: readonly FaultRow[] = [...processRows, ...targetRows, ...machineRows].toSorted(
  (a, b) => a.id.localeCompare(b.id),
)
