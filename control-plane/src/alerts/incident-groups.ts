import type { Region } from '@probe-mesh/contracts/regions'
import { isSameCause } from './cause.ts'
import type { Cause } from './cause.ts'

/** A check that went down, as one page publishes it. Times are Unix milliseconds. */
export type Failure = {
  statusPageId: string
  checkId: string
  /** The name under which the page publishes it. */
  displayName: string
  cause: Cause
  /** null: it is measured in none. */
  region: Region | null
  downAtMs: number
}

/** An open automatic incident and the checks that it is about. */
export type OpenIncident = {
  incidentId: string
  statusPageId: string
  members: readonly Pick<Failure, 'checkId' | 'cause' | 'downAtMs'>[]
}

/** Failures that belong together: to an open incident, or to a new one where there is none. */
export type IncidentGroup = { incidentId: string | null; statusPageId: string; joined: Failure[] }

/** Checks of one page that go down by one cause within this time are one incident. */
export const groupingMs = 120_000

/** "One cause opens one incident": of each page, which failures join which incident. */
export const groupFailures = (
  failures: readonly Failure[],
  open: readonly OpenIncident[],
): IncidentGroup[] => {
  const groups = open.map(({ incidentId, statusPageId, members }) => ({
    group: { incidentId, statusPageId, joined: [] } as IncidentGroup,
    members: [...members],
  }))
  for (const failure of failures) {
    const found = groups.find(
      ({ group, members }) =>
        group.statusPageId === failure.statusPageId &&
        members.some((member) => belongsTo(failure, member)),
    )
    if (found === undefined) {
      const { statusPageId } = failure
      groups.push({
        group: { incidentId: null, statusPageId, joined: [failure] },
        members: [failure],
      })
    } else {
      found.group.joined.push(failure)
      found.members.push(failure)
    }
  }
  return groups.map(({ group }) => group).filter(({ joined }) => joined.length > 0)
}

const belongsTo = (failure: Failure, member: OpenIncident['members'][number]): boolean =>
  failure.checkId === member.checkId ||
  (Math.abs(failure.downAtMs - member.downAtMs) <= groupingMs &&
    isSameCause(failure.cause, member.cause))
