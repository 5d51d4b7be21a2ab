import type { LoopContext } from '../../stores/loop-context.ts'
import type { Loop, Next } from '@probe-mesh/runtime/loop'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Bus, HeldAssignment } from '@probe-mesh/bus/port'
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
import { eachOf } from '@probe-mesh/runtime/each-of'
import { assignmentOf } from '../../checks/assignment-of.ts'
import type { AssignmentSealer } from '../../secrets/seal-assignments.ts'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { hasRequest, type CheckRecord } from '../../records/check/check-record.ts'

/** Interval of full comparisons, besides notifications. */
const reconcileMs = 60_000
/** The most changed checks that wait. Beyond this, one comparison of all checks replaces them. */
const changedMax = 10_000
const underWayMax = 16
/** Writes of a comparison that wait for their confirmation. */
const unconfirmedMax = 64

export type Assigner = {
  /** Whether every check has been written to NATS once. */
  isCurrent(): boolean
  close(): Promise<void>
}

type AssignerCapabilities = LoopContext & {
  bus: Bus
  sealer: AssignmentSealer
  liveRegions: readonly Region[]
  /** Called for every changed check once its assignments are written. */
  onChanged(checkId: string): Promise<void>
}

/**
 * Copies checks from Postgres to the regions' buckets: each change at once, and all checks at the start,
 * after a lost connection, when NATS returns and every minute, because notifications and buckets may be lost.
 */
export const startAssigner = async (capabilities: AssignerCapabilities): Promise<Assigner> => {
  const { sql, bus, log } = capabilities
  const state: AssignerState = {
    ...capabilities,
    written: new Counter({
      name: 'assign_assignments_written_total',
      help: 'Assignments written to or removed from the regions, by act',
      labelNames: ['act'] as const,
      registers: [capabilities.registry],
    }),
    changed: new Set(),
    unreported: new Set(),
    reconcileDue: true,
    reconciledAt: 0,
    current: false,
  }
  let loop: Loop | null = null
  const reconcileSoon = (): void => {
    state.reconcileDue = true
    loop?.wake()
  }
  const listening = await listen(sql, 'checks_changed', {
    onNotify: (checkId) => {
      if (state.changed.size >= changedMax) state.reconcileDue = true
      else state.changed.add(checkId)
      loop?.wake()
    },
    onConnected: reconcileSoon,
  })
  const returns = bus.onReturn(reconcileSoon)
  loop = keepLooping(log, {
    what: 'assignments cannot be written',
    round: async () => {
      try {
        return await work(state)
      } catch (error) {
        // the complete lists are compared
        state.reconcileDue = true
        throw error
      }
    },
    everyMs: reconcileMs,
  })
  const { close } = loop
  return {
    isCurrent: () => state.current,
    close: async () => {
      await close()
      await returns.close()
      await listening.close()
    },
  }
}

type AssignerState = AssignerCapabilities & {
  readonly written: Counter<'act'>
  /** Checks to assign again. */
  readonly changed: Set<string>
  /** Checks that a comparison has written or tried to, also one that failed later. */
  readonly unreported: Set<string>
  reconcileDue: boolean
  /** Unix ms */
  reconciledAt: number
  /** Whether every check has been written once. */
  current: boolean
}

const work = async (state: AssignerState): Promise<Next> => {
  if (state.reconcileDue || state.now() - state.reconciledAt >= reconcileMs) {
    state.reconcileDue = false
    await reconcile(state)
  }
  if (state.changed.size > 0) await assignChanged(state)
  return state.changed.size > 0 || state.reconcileDue ? 'again' : undefined
}

/** Compares all checks with the buckets of all regions. */
const reconcile = async (state: AssignerState): Promise<void> => {
  const { sql, bus, sealer, liveRegions, written, unreported, log, now } = state
  const refreshed = await refreshAllRegions(sql, liveRegions, now())
  if (refreshed > 0) log.info({ checks: refreshed }, 'regions of checks updated to the live regions')
  await respread(state)
  const checks = await findAssignableChecks(sql)
  for (const region of liveRegions) {
    const held = await bus.assignments.held(region)
    const { put: due, remove } = differenceOf(region, checks, held)
    const put = [...(await sealer.seal(due)), ...(await sealedAnew(region, checks, held, sealer))]
    // reported also without a confirmation: what is stored differs no more in the next comparison
    await eachOf(put, unconfirmedMax, async (assignment) => {
      unreported.add(assignment.checkId)
      await bus.assignments.put(assignment)
      written.inc({ act: 'put' })
    })
    await eachOf(remove, unconfirmedMax, async (checkId) => {
      unreported.add(checkId)
      await bus.assignments.remove(region, checkId)
      written.inc({ act: 'remove' })
    })
  }
  for (const checkId of unreported) {
    // at the start everything differs, and every reader has just loaded all checks
    if (state.current) await state.onChanged(checkId)
    unreported.delete(checkId)
  }
  state.reconciledAt = now()
  state.current = true
}

/** Slots are spread over the interval only in regions where every agent supports it. */
const respread = async ({ sql, bus, liveRegions, log, now }: AssignerState): Promise<void> => {
  const listed = await Promise.all(
    liveRegions.map(async (region) => ({ region, agents: await bus.presence.list(region) })),
  )
  const heard = listed.filter(({ agents }) => agents.length > 0)
  const isAble = ({ agents }: (typeof heard)[number]) => agents.every(({ takesPhase }) => takesPhase === true)
  const regionsWith = (able: boolean) =>
    heard.filter((each) => isAble(each) === able).map(({ region }) => region)
  await storeSpreadRegions(sql, { able: regionsWith(true), unable: regionsWith(false) }, now())
  const spread = await respreadChecks(sql, now())
  if (spread > 0) log.info({ checks: spread }, 'slots of checks spread over their intervals')
}

/** A few changed checks at a time: their round trips are independent. */
const assignChanged = async (state: AssignerState): Promise<void> => {
  const { changed } = state
  const some = [...changed].slice(0, underWayMax)
  // before they are read: a notification during the read is about a newer change
  for (const checkId of some) changed.delete(checkId)
  const assigning = some.map(async (checkId) => {
    try {
      await assignOne(state, checkId)
    } catch (error) {
      changed.add(checkId)
      throw error
    }
  })
  await Promise.allSettled(assigning)
  await Promise.all(assigning)
}

const assignOne = async (state: AssignerState, checkId: string): Promise<void> => {
  const { sql, bus, sealer, liveRegions, written } = state
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
  await state.onChanged(checkId)
}

type Difference = { put: Assignment[]; remove: string[] }

/** The changes that give a region's bucket exactly the assignments of these checks, but for their secrets. */
export const differenceOf = (
  region: Region,
  checks: readonly CheckRecord[],
  held: readonly HeldAssignment[],
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
const isHeld = (assignment: Assignment, before: HeldAssignment | undefined): boolean =>
  before?.revision === assignment.revision && before.phaseMs === assignment.phaseMs

/** Held assignments of the current revision whose secrets were sealed with another key, or not at all. */
const sealedAnew = async (
  region: Region,
  checks: readonly CheckRecord[],
  held: readonly HeldAssignment[],
  sealer: AssignmentSealer,
): Promise<Assignment[]> => {
  const heldBy = new Map(held.map((assignment) => [assignment.checkId, assignment]))
  const using = checks.flatMap((check) => {
    const assignment = hasRequest(check.config) ? assignmentOf(check, region) : null
    return assignment !== null && isHeld(assignment, heldBy.get(check.id)) ? [assignment] : []
  })
  const sealed = await sealer.seal(using)
  return sealed.filter((each) => sealedOf(each) !== heldBy.get(each.checkId)?.sealed)
}

const sealedOf = (assignment: Assignment): string | undefined =>
  'sealed' in assignment ? assignment.sealed : undefined
