import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isSameCause, type Cause } from '../status/cause.ts'

/** A check that went down, as one page publishes it. Times are Unix milliseconds. */
export type Failure = {
  statusPageId: string
  checkId: string
  /** The name under which the page publishes it. */
  displayName: string
  cause: Cause
  /** null: no region measures it. */
  region: Region | null
  downAtMs: number
}

/** A check of an incident, with the time it was down; `downUntilMs` null: still down, as far as is known. */
type Member = Pick<Failure, 'checkId' | 'cause' | 'downAtMs'> & {
  downUntilMs: number | null
}

/** An automatic incident that is open or was just resolved, with its checks. */
export type JoinableIncident = {
  incidentId: string
  statusPageId: string
  isOpen: boolean
  members: readonly Member[]
}

/** Failures that belong together, to an existing incident or (null) to a new one. */
export type IncidentGroup = { incidentId: string | null; statusPageId: string; joined: Failure[] }

/**
 * Checks of one page that go down for the same cause within this time share an incident. A check that goes
 * down again within this time after a recovery rejoins its incident.
 */
export const groupingMs = 120_000

/** One cause opens one incident (S-1508): decides for each page which failures join which incident. */
export const groupFailures = (
  failures: readonly Failure[],
  joinable: readonly JoinableIncident[],
): IncidentGroup[] => {
  const groups = joinable.map(({ incidentId, statusPageId, isOpen, members }) => ({
    group: { incidentId, statusPageId, joined: [] } as IncidentGroup,
    isOpen,
    members: [...members],
  }))
  for (const failure of failures) {
    const { statusPageId } = failure
    const found = groups.find(
      ({ group, isOpen, members }) =>
        group.statusPageId === statusPageId && members.some((member) => belongsTo(failure, member, isOpen)),
    )
    const member: Member = { ...failure, downUntilMs: null }
    if (found === undefined) {
      groups.push({
        group: { incidentId: null, statusPageId, joined: [failure] },
        isOpen: true,
        members: [member],
      })
    } else {
      found.group.joined.push(failure)
      found.isOpen = true
      found.members.push(member)
    }
  }
  return groups.map(({ group }) => group).filter(({ joined }) => joined.length > 0)
}

const belongsTo = (failure: Failure, member: Member, isOpen: boolean): boolean => {
  if (failure.checkId === member.checkId) {
    return member.downUntilMs === null ? isOpen : failure.downAtMs - member.downUntilMs <= groupingMs
  }
  return (
    isOpen &&
    Math.abs(failure.downAtMs - member.downAtMs) <= groupingMs &&
    isSameCause(failure.cause, member.cause)
  )
}
