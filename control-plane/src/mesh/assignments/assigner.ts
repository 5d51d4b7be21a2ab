import type { LoopContext } from '../../stores/loop-context.ts'
import type { Loop, Next } from '@probe-mesh/runtime/loop'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Bus } from '@probe-mesh/bus/port'
import { Counter } from 'prom-client'
import {
  findAssignableChecks,
  findCheckOfAnyAccount,
  refreshAllRegions,
  storeSpreadRegions,
  respreadChecks,
} from '../../records/check/many-checks-store.ts'
import { keepLooping } from '../../stores/faults.ts'
import { listen } from '../../stores/postgres/listen.ts'
import { assignmentOf } from '../../checks/assignment-of.ts'
import type { AssignmentSealer } from '../../secrets/seal-assignments.ts'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { hasRequest, type CheckRecord } from '../../records/check/check-record.ts'

/** Interval of full comparisons, besides notifications. */
const reconcileMs = 60_000
/** The most changed checks that wait. Beyond this, one comparison of all checks replaces them. */
const changedMax = 10_000
const underWayMax = 16

export type Assigner = {
  /** Whether every check has been written to NATS once. */
  isCurrent(): boolean
  close(): Promise<void>
}

/**
 * Copies checks from Postgres to the regions' buckets: each change at once, and all checks at the start,
 * after a lost connection, when NATS returns and every minute, because notifications and buckets may be lost.
 */
export const startAssigner = async (
  capabilities: LoopContext & {
    bus: Bus
    sealer: AssignmentSealer
    liveRegions: readonly Region[]
    /** Called for every changed check once its assignments are written. */
    onChanged(checkId: string): Promise<void>
  },
): Promise<Assigner> => {
  const { sql, bus, sealer, liveRegions, log, now } = capabilities
  const written = new Counter({
    name: 'assign_assignments_written_total',
    help: 'Assignments written to or removed from the regions, by act',
    labelNames: ['act'] as const,
    registers: [capabilities.registry],
  })
  const changed = new Set<string>()
  let reconcileDue = true
  let reconciledAt = 0
  let current = false

  const reconcile = async (): Promise<void> => {
    const refreshed = await refreshAllRegions(sql, liveRegions, now())
    if (refreshed > 0) log.info({ checks: refreshed }, 'regions of checks updated to the live regions')
    await respread()
    const checks = await findAssignableChecks(sql)
    const missed = new Set<string>()
    for (const region of liveRegions) {
      const held = await bus.assignments.list(region)
      const { put: due, remove } = differenceOf(region, checks, held)
      const put = [...(await sealer.seal(due)), ...(await sealedAnew(region, checks, held, sealer))]
      for (const assignment of put) await bus.assignments.put(assignment)
      for (const checkId of remove) await bus.assignments.remove(region, checkId)
      written.inc({ act: 'put' }, put.length)
      written.inc({ act: 'remove' }, remove.length)
      for (const checkId of [...put.map((assignment) => assignment.checkId), ...remove]) {
        missed.add(checkId)
      }
    }
    // at the start everything differs, and every reader has just loaded all checks
    if (current) for (const checkId of missed) await capabilities.onChanged(checkId)
    reconciledAt = now()
    current = true
  }

  /** Slots are spread over the interval only in regions where every agent supports it. */
  const respread = async (): Promise<void> => {
    const listed = await Promise.all(
      liveRegions.map(async (region) => ({ region, agents: await bus.presence.list(region) })),
    )
    const heard = listed.filter(({ agents }) => agents.length > 0)
    const [able, unable] = [true, false].map((isAble) =>
      heard.flatMap(({ region, agents }) =>
        agents.every(({ takesPhase }) => takesPhase === true) === isAble ? [region] : [],
      ),
    )
    await storeSpreadRegions(sql, { able: able ?? [], unable: unable ?? [] }, now())
    const respread = await respreadChecks(sql, now())
    if (respread > 0) log.info({ checks: respread }, 'slots of checks spread over their intervals')
  }

  const assignOne = async (checkId: string): Promise<void> => {
    const check = await findCheckOfAnyAccount(sql, checkId)
    if (check?.config.type === 'unknown') return
    await Promise.all(
      liveRegions.map(async (region) => {
        const wanted = check === null ? null : assignmentOf(check, region)
        const [assignment = null] = wanted === null ? [] : await sealer.seal([wanted])
        if (assignment === null) await bus.assignments.remove(region, checkId)
        else await bus.assignments.put(assignment)
        written.inc({ act: assignment === null ? 'remove' : 'put' })
      }),
    )
    await capabilities.onChanged(checkId)
  }

  /** A few changed checks at a time: their round trips are independent. */
  const assignChanged = async (): Promise<void> => {
    const some = [...changed].slice(0, underWayMax)
    // before they are read: a notification during the read is about a newer change
    for (const checkId of some) changed.delete(checkId)
    const assigning = some.map(async (checkId) => {
      try {
        await assignOne(checkId)
      } catch (error) {
        changed.add(checkId)
        throw error
      }
    })
    await Promise.allSettled(assigning)
    await Promise.all(assigning)
  }

  const work = async (): Promise<Next> => {
    if (reconcileDue || now() - reconciledAt >= reconcileMs) {
      reconcileDue = false
      await reconcile()
    }
    if (changed.size > 0) await assignChanged()
    return changed.size > 0 || reconcileDue ? 'again' : undefined
  }
  let loop: Loop | null = null
  const wake = (): void => loop?.wake()

  const listening = await listen(sql, 'checks_changed', {
    onNotify: (checkId) => {
      if (changed.size >= changedMax) reconcileDue = true
      else changed.add(checkId)
      wake()
    },
    onConnected: () => {
      reconcileDue = true
      wake()
    },
  })
  const returns = bus.onReturn(() => {
    reconcileDue = true
    wake()
  })
  loop = keepLooping(log, {
    what: 'assignments cannot be written',
    round: async () => {
      try {
        return await work()
      } catch (error) {
        // the complete lists are compared
        reconcileDue = true
        throw error
      }
    },
    everyMs: reconcileMs,
  })
  const { close } = loop
  return {
    isCurrent: () => current,
    close: async () => {
      await close()
      await returns.close()
      await listening.close()
    },
  }
}

type Difference = { put: Assignment[]; remove: string[] }

/** The changes that give a region's bucket exactly the assignments of these checks, but for their secrets. */
export const differenceOf = (
  region: Region,
  checks: readonly CheckRecord[],
  held: readonly Assignment[],
): Difference => {
  const heldBy = new Map(held.map((assignment) => [assignment.checkId, assignment]))
  const wanted = new Set<string>()
  const put: Assignment[] = []
  for (const check of checks) {
    // a check of a newer version is assigned by that version: this one neither changes nor removes it
    if (check.config.type === 'unknown') {
      wanted.add(check.id)
      continue
    }
    const assignment = assignmentOf(check, region)
    if (assignment === null) continue
    wanted.add(check.id)
    if (!isHeld(assignment, heldBy.get(check.id))) put.push(assignment)
  }
  return { put, remove: [...heldBy.keys()].filter((checkId) => !wanted.has(checkId)) }
}

// an older control plane omits the phase
const isHeld = (assignment: Assignment, before: Assignment | undefined): boolean =>
  before?.revision === assignment.revision && before.phaseMs === assignment.phaseMs

/** Held assignments of the current revision whose secrets were sealed with another key, or not at all. */
const sealedAnew = async (
  region: Region,
  checks: readonly CheckRecord[],
  held: readonly Assignment[],
  sealer: AssignmentSealer,
): Promise<Assignment[]> => {
  const heldBy = new Map(held.map((assignment) => [assignment.checkId, assignment]))
  const using = checks.flatMap((check) => {
    const assignment = hasRequest(check.config) ? assignmentOf(check, region) : null
    return assignment !== null && isHeld(assignment, heldBy.get(check.id)) ? [assignment] : []
  })
  const sealed = await sealer.seal(using)
  return sealed.filter((each) => sealedOf(each) !== sealedOf(heldBy.get(each.checkId)))
}

const sealedOf = (assignment: Assignment | undefined): string | undefined =>
  assignment !== undefined && 'sealed' in assignment ? assignment.sealed : undefined
