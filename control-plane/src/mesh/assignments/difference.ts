import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CheckRecord } from '../../check-record/check-record.ts'
import { assignmentOf } from '../../checks/assignment-of.ts'

export type Difference = { put: Assignment[]; remove: string[] }

/** What must change in a region's bucket so that it holds exactly what these checks ask for. */
export const differenceOf = (
  region: Region,
  checks: readonly CheckRecord[],
  held: readonly Assignment[],
): Difference => {
  const heldBy = new Map(held.map((assignment) => [assignment.checkId, assignment]))
  const wanted = new Set<string>()
  const put: Assignment[] = []
  for (const check of checks) {
    // what a newer version wrote is its to assign: this one neither changes nor removes it
    if (check.config.type === 'unknown') {
      wanted.add(check.id)
      continue
    }
    const assignment = assignmentOf(check, region)
    if (assignment === null) continue
    wanted.add(check.id)
    const before = heldBy.get(check.id)
    // an older control plane leaves the phase out
    const isHeld = before?.revision === assignment.revision && before.phaseMs === assignment.phaseMs
    if (!isHeld) put.push(assignment)
  }
  return { put, remove: [...heldBy.keys()].filter((checkId) => !wanted.has(checkId)) }
}
