import type { HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { nextSlot, slotPhase } from '@probe-mesh/contracts/reading/slots'
import { createDueHeap, type DueHeap } from './due-heap.ts'
import type { SetTimer } from './set-timer.ts'
import { startDeadlineMs } from './start-deadline.ts'

/** Slots submitted per wake-up, so that the event loop stays responsive. */
export const slotsPerWakeUp = 200

/** The longest sleep, ms; a clock step is noticed after it. */
const sleepMsMax = 1_000

/** A longer delay is not a busy loop but a sleep of the machine or a clock set forward, ms. */
const skipAfterMs = 60_000

export type Scheduler = {
  /**
   * Adds an assignment, or its next revision. With `catchUp` the slots between its `validFrom` and
   * now also run, as far back as a run may still start and not before `since` (Unix ms). Without it
   * no slot before now runs.
   */
  put(assignment: HeldAssignment, how: CatchUp): void
  remove(checkId: string): void
  /**
   * Removes an assignment that another agent took over, and first submits its due slots: the other
   * agent catches up only from its own start.
   */
  release(checkId: string): void
  readonly size: number
  /** Slots skipped because the machine slept or its clock was set forward. */
  skipped(): number
  close(): void
}

export type CatchUp = { catchUp: boolean; since?: number }

type SchedulerCapabilities = {
  /** Unix ms */
  now: () => number
  setTimer: SetTimer
  /** A slot is due; never called early, nor within `put` or `remove`. Must not throw. */
  onDue: (assignment: HeldAssignment, slot: number, lateMs: number) => void
}

type Paced = {
  assignment: HeldAssignment
  readonly phaseMs: number
  readonly intervalMs: number
}
type Entry = Paced & {
  /** The next revision, with other slots; this one's slots stay due until it is valid. */
  next: Paced | null
}

type SchedulerState = SchedulerCapabilities & {
  readonly entries: (Entry | null)[]
  readonly numbers: Map<string, number>
  readonly free: number[]
  readonly heap: DueHeap
  lastNow: number
  skippedCount: number
}

/**
 * Computes the slots of every assignment and submits them when they are due, with one timer (S-712,
 * S-713).
 */
export const createScheduler = (capabilities: SchedulerCapabilities): Scheduler => {
  const state: SchedulerState = {
    ...capabilities,
    entries: [],
    numbers: new Map(),
    free: [],
    heap: createDueHeap(),
    lastNow: capabilities.now(),
    skippedCount: 0,
  }
  let timer: { at: number; cancel: () => void } | null = null
  let closed = false

  const arm = () => {
    if (closed || state.heap.size === 0) return
    const now = state.now()
    const due = state.heap.dueAt(state.heap.first())
    const sleepMs = Math.min(Math.max(Math.ceil(due - now), 0), sleepMsMax)
    if (timer !== null && timer.at <= now + sleepMs) return
    timer?.cancel()
    timer = { at: now + sleepMs, cancel: state.setTimer(sleepMs, wake) }
  }
  const wake = () => {
    timer = null
    if (closed) return
    try {
      handleStepBack(state)
      submitDue(state)
    } finally {
      arm()
    }
  }

  return {
    put: (assignment, how) => {
      putEntry(state, assignment, how)
      arm()
    },
    remove: (checkId) => removeEntry(state, checkId),
    release: (checkId) => {
      const number = state.numbers.get(checkId)
      if (number === undefined) return
      while (submitSlot(state, number));
      removeEntry(state, checkId)
    },
    get size() {
      return state.numbers.size
    },
    skipped: () => state.skippedCount,
    close: () => {
      closed = true
      timer?.cancel()
      timer = null
    },
  }
}

const putEntry = (state: SchedulerState, assignment: HeldAssignment, how: CatchUp): void => {
  const intervalMs = assignment.intervalSeconds * 1_000
  const known = state.numbers.get(assignment.checkId)
  const current = known === undefined ? null : (state.entries[known] ?? null)
  const latest = current?.next ?? current
  if (latest !== null && assignment.revision < latest.assignment.revision) return
  const phaseMs = assignment.phaseMs ?? slotPhase(assignment.checkId, assignment.region, intervalMs)
  const paced = { assignment, phaseMs, intervalMs }
  const isOfRegion = latest?.assignment.region === assignment.region
  if (isOfRegion && hasSameSlots(latest, paced)) {
    latest.assignment = assignment
    return
  }
  const now = state.now()
  if (known !== undefined && current !== null && isOfRegion && assignment.validFrom > now) {
    current.next = paced
    dueFrom(state, known, state.heap.dueAt(known))
    return
  }
  const number = known ?? state.free.pop() ?? state.entries.length
  state.entries[number] = { ...paced, next: null }
  state.numbers.set(assignment.checkId, number)
  state.heap.set(number, nextSlot(phaseMs, intervalMs, firstFrom(assignment, now, how)))
}

/** From when on slots of a new assignment are measured: those shortly before it are caught up. */
const firstFrom = (assignment: HeldAssignment, now: number, how: CatchUp): number => {
  const catchUpMs = how.catchUp ? startDeadlineMs(assignment.intervalSeconds) : 0
  const catchUpFrom = Math.min(now, Math.max(how.since ?? 0, now - catchUpMs))
  return Math.max(assignment.validFrom, catchUpFrom)
}

/**
 * Sets the next slot of an entry, or the first slot of its next revision if that is valid by then.
 */
const dueFrom = (state: SchedulerState, number: number, slot: number): void => {
  const next = state.entries[number]?.next ?? null
  if (next === null || slot < next.assignment.validFrom) {
    state.heap.set(number, slot)
    return
  }
  state.entries[number] = { ...next, next: null }
  state.heap.set(number, nextSlot(next.phaseMs, next.intervalMs, next.assignment.validFrom))
}

/** An older control plane may resend a revision without its phase: its slots stay the same. */
const hasSameSlots = (latest: Paced, { assignment, phaseMs, intervalMs }: Paced): boolean => {
  const lacksPhase = assignment.phaseMs === undefined && assignment.revision === latest.assignment.revision
  return latest.intervalMs === intervalMs && (latest.phaseMs === phaseMs || lacksPhase)
}

const removeEntry = (state: SchedulerState, checkId: string): void => {
  const number = state.numbers.get(checkId)
  if (number === undefined) return
  state.numbers.delete(checkId)
  state.entries[number] = null
  state.heap.remove(number)
  state.free.push(number)
}

const submitDue = (state: SchedulerState): void => {
  for (let count = 0; count < slotsPerWakeUp; count++) {
    if (!submitSlot(state, state.heap.first())) return
  }
}

/**
 * Submits the next slot of an entry, or skips slots missed during a sleep.
 * @returns whether one was due
 */
const submitSlot = (state: SchedulerState, number: number): boolean => {
  const entry = state.entries[number]
  if (entry === undefined || entry === null) return false
  const now = state.now()
  const slot = state.heap.dueAt(number)
  if (slot > now) return false
  const lateMs = now - slot
  if (lateMs > skipAfterMs) {
    const resumed = nextSlot(entry.phaseMs, entry.intervalMs, now)
    state.skippedCount += Math.round((resumed - slot) / entry.intervalMs)
    dueFrom(state, number, resumed)
    return true
  }
  dueFrom(state, number, slot + entry.intervalMs)
  state.onDue(entry.assignment, slot, lateMs)
  return true
}

/**
 * After a clock is set back, entries wait for slots far ahead. Up to the tolerated skew they keep
 * waiting, since those slots have run. Beyond it they are rescheduled: ingest refused readings from
 * a clock that far ahead.
 */
const handleStepBack = (state: SchedulerState): void => {
  const now = state.now()
  const steppedBack = now < state.lastNow
  state.lastNow = now
  if (!steppedBack) return
  for (const [number, entry] of state.entries.entries()) {
    if (entry === null) continue
    const aheadMs = state.heap.dueAt(number) - now
    if (aheadMs <= entry.intervalMs + limits.clockSkewMsMax) continue
    const fromMs = Math.max(now, entry.assignment.validFrom)
    dueFrom(state, number, nextSlot(entry.phaseMs, entry.intervalMs, fromMs))
  }
}
