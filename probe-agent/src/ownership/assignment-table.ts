import type { HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { CatchUp, Scheduler } from '../schedule/scheduler.ts'
import { hash32 } from '@probe-mesh/contracts/reading/slots'

/** All assignments of the region. Those of this agent's share are in its schedule. */
export type AssignmentTable = {
  /**
   * Adds an assignment unless a later revision is known.
   * @returns whether anything changed
   */
  put(assignment: HeldAssignment, how: CatchUp): boolean
  /**
   * @returns whether it existed
   */
  remove(checkId: string): boolean
  /**
   * Sets the agents that share the region; before the first call no check runs. Slots of a member
   * that left are caught up, as far back as a run may still start. A starting agent catches up from
   * its own start, since the others may release its share before it has noticed. Browser checks are
   * shared by agents with Chromium only; without any they do not run.
   */
  shareAmong(members: readonly string[], chromium?: readonly string[]): void
  readonly size: number
  /** Number of browser checks that no agent of the region can run, without Chromium. */
  readonly withoutBrowser: number
  /** The known revision of a check, or 0. */
  revisionOf(checkId: string): number
  ids(): Iterable<string>
  assignments(): Iterable<HeldAssignment>
}

/** The owner of an assignment; null when no agent can run it. */
type OwnerOf = (assignment: HeldAssignment) => string | null

const ownersAmong = (members: readonly string[], chromium: readonly string[]): OwnerOf => {
  const ownerOf = ownerAmong(members)
  const browserOwnerOf = chromium.length === 0 ? () => null : ownerAmong(chromium)
  return ({ type, checkId }) => (type === 'browser' ? browserOwnerOf(checkId) : ownerOf(checkId))
}

/**
 * @param beganAt start of this process, Unix ms
 */
export const createAssignmentTable = (
  self: string,
  scheduler: Pick<Scheduler, 'put' | 'remove' | 'release'>,
  beganAt: number,
): AssignmentTable => {
  const assignments = new Map<string, HeldAssignment>()
  const browserChecks = new Set<string>()
  let ownerOf: OwnerOf | null = null
  let hasBrowser = true

  return {
    put: (assignment, how) => {
      const { checkId } = assignment
      const known = assignments.get(checkId)
      if (known !== undefined && !isChanged(known, assignment)) return false
      assignments.set(checkId, assignment)
      if (assignment.type === 'browser') browserChecks.add(checkId)
      else browserChecks.delete(checkId)
      if (ownerOf?.(assignment) === self) scheduler.put(assignment, how)
      else if (known !== undefined && ownerOf?.(known) === self) scheduler.remove(checkId)
      return true
    },
    remove: (checkId) => {
      scheduler.remove(checkId)
      browserChecks.delete(checkId)
      return assignments.delete(checkId)
    },
    shareAmong: (members, chromium = []) => {
      const formerOwnerOf = ownerOf
      const present = new Set(members)
      const nextOwnerOf = ownersAmong(members, chromium)
      ownerOf = nextOwnerOf
      hasBrowser = chromium.length > 0
      for (const [checkId, assignment] of assignments) {
        const former = formerOwnerOf?.(assignment) ?? null
        const isMine = nextOwnerOf(assignment) === self
        if (isMine === (former === self)) continue
        if (!isMine) scheduler.release(checkId)
        else if (former === null) scheduler.put(assignment, { catchUp: true, since: beganAt })
        else scheduler.put(assignment, { catchUp: !present.has(former) })
      }
    },
    get size() {
      return assignments.size
    },
    get withoutBrowser() {
      return hasBrowser ? 0 : browserChecks.size
    },
    revisionOf: (checkId) => assignments.get(checkId)?.revision ?? 0,
    ids: () => assignments.keys(),
    assignments: () => assignments.values(),
  }
}

/** Compared as text: both come from one schema, so equal assignments have equal text. */
const isChanged = (known: HeldAssignment, put: HeldAssignment): boolean =>
  put.revision > known.revision ||
  (put.revision === known.revision && JSON.stringify(put) !== JSON.stringify(known))

/**
 * Rendezvous hashing: each check belongs to the member with the highest weight for it. So every
 * agent of a region computes the same owner, and a member that joins or leaves moves only its own
 * checks.
 * @param members names, in any order, at least one
 * @throws RangeError without members
 */
export const ownerAmong = (members: readonly string[]): ((checkId: string) => string) => {
  const names = [...new Set(members)].toSorted()
  const [first] = names
  if (first === undefined) throw new RangeError('a region without members cannot own a check')
  const seeds = Uint32Array.from(names, hash32)
  return (checkId) => {
    const hash = hash32(checkId)
    let owner = first
    let highest = -1
    for (let n = 0; n < seeds.length; n++) {
      const weight = weightOf(seeds[n] ?? 0, hash)
      if (weight <= highest) continue
      highest = weight
      owner = names[n] ?? first
    }
    return owner
  }
}

/** Combines the two hashes with the finaliser of murmur3, so that no member is favoured. */
const weightOf = (seed: number, hash: number): number => {
  let weight = Math.imul(hash ^ seed, 0x9e3779b1) + seed
  weight = Math.imul(weight ^ (weight >>> 16), 0x85ebca6b)
  weight = Math.imul(weight ^ (weight >>> 13), 0xc2b2ae35)
  return (weight ^ (weight >>> 16)) >>> 0
}
