import type { HeldAssignment } from '@probe-mesh/contracts/assignment'
import type { Reading } from '@probe-mesh/contracts/reading'
import { startGuardedRun, type GuardedRun } from './guarded-run.ts'
import type { Run, RunContext } from './run.ts'
import { startDeadlineMs } from './start-deadline.ts'
import { unmeasured } from './unmeasured.ts'

export const runsInProgressMax = 1_000
export const runsWaitingMax = 10_000
/** Runs asked for over the bus, beside the scheduled ones. */
export const runsAskedMax = 100

/** How often waiting runs are looked at for their start deadline, ms. */
const expiryMs = 1_000

export type Dispatcher = {
  /** Runs a slot now or soon. A reading always follows, unless the agent is closed first. */
  submit(assignment: HeldAssignment, slot: number): void
  /** Runs at once what was asked for; `busy` when too many are, or when the agent is closing. */
  runNow(
    assignment: HeldAssignment,
    asked: Pick<RunContext, 'slot' | 'kind' | 'number'>,
  ): Promise<Reading | 'busy'>
  readonly inProgress: number
  readonly waiting: number
  /** Starts nothing more, waits for runs in progress up to `graceMs`, and forgets the rest. */
  close(graceMs: number): Promise<void>
}

export type DispatcherCapabilities = {
  run: Run
  /** Unix ms */
  now: () => number
  /** Called in the tick in which a reading is made. */
  onReading: (reading: Reading) => void
  onStart: (lateMs: number) => void
  onBug: (error: unknown) => void
  bounds?: { inProgressMax: number; waitingMax: number }
}

type Job = { assignment: HeldAssignment; slot: number }

type DispatcherState = DispatcherCapabilities & {
  readonly inProgressMax: number
  readonly waitingMax: number
  /** Scheduled runs by check id: a check never overlaps itself. */
  readonly running: Set<string>
  /** At most one job of a check, in the order they came. */
  readonly waiting: Map<string, Job>
  readonly guarded: Map<GuardedRun, Promise<void>>
  asked: number
  expiry: NodeJS.Timeout | null
  phase: 'open' | 'closing' | 'closed'
}

/** Bounds how many runs are in progress; what cannot begin in time is `unmeasured`, never silent. */
export const createDispatcher = (capabilities: DispatcherCapabilities): Dispatcher => {
  const state: DispatcherState = {
    ...capabilities,
    inProgressMax: capabilities.bounds?.inProgressMax ?? runsInProgressMax,
    waitingMax: capabilities.bounds?.waitingMax ?? runsWaitingMax,
    running: new Set(),
    waiting: new Map(),
    guarded: new Map(),
    asked: 0,
    expiry: null,
    phase: 'open',
  }
  return {
    submit: (assignment, slot) => submit(state, { assignment, slot }),
    runNow: (assignment, asked) => runNow(state, assignment, asked),
    get inProgress() {
      return state.guarded.size
    },
    get waiting() {
      return state.waiting.size
    },
    close: (graceMs) => close(state, graceMs),
  }
}

const lateMsOf = (state: DispatcherState, slot: number): number => Math.max(0, state.now() - slot)

const isTooLate = (state: DispatcherState, { assignment, slot }: Job): boolean =>
  lateMsOf(state, slot) > startDeadlineMs(assignment.intervalSeconds)

const submit = (state: DispatcherState, job: Job): void => {
  if (state.phase !== 'open') return
  const { checkId } = job.assignment
  if (isTooLate(state, job)) return overload(state, job)
  if (!state.running.has(checkId) && state.running.size < state.inProgressMax) {
    return start(state, job)
  }
  const earlier = state.waiting.get(checkId)
  if (earlier !== undefined) {
    state.waiting.delete(checkId)
    overload(state, earlier)
  }
  if (state.waiting.size >= state.waitingMax) return overload(state, job)
  state.waiting.set(checkId, job)
  state.expiry ??= setInterval(() => expire(state), expiryMs)
}

const overload = (state: DispatcherState, { assignment, slot }: Job): void => {
  const context = { slot, kind: 'scheduled', number: 0, lateMs: lateMsOf(state, slot) } as const
  handOver(state, unmeasured(assignment, context, 'probe_overloaded', state.now()))
}

const handOver = (state: DispatcherState, reading: Reading): void => {
  try {
    state.onReading(reading)
  } catch (error) {
    state.onBug(error)
  }
}

const start = (state: DispatcherState, { assignment, slot }: Job): void => {
  const { checkId } = assignment
  state.running.add(checkId)
  const context = { slot, kind: 'scheduled', number: 0, lateMs: lateMsOf(state, slot) } as const
  state.onStart(context.lateMs)
  void measure(state, assignment, context).then(() => {
    state.running.delete(checkId)
    startWaiting(state)
  })
}

const measure = async (
  state: DispatcherState,
  assignment: HeldAssignment,
  context: Omit<RunContext, 'signal'>,
): Promise<Reading | null> => {
  const guarded = startGuardedRun(assignment, context, state)
  const ended = Promise.withResolvers<void>()
  state.guarded.set(guarded, ended.promise)
  const reading = await guarded.reading
  state.guarded.delete(guarded)
  const taken = state.phase !== 'closed'
  if (taken) handOver(state, reading)
  ended.resolve()
  return taken ? reading : null
}

const startWaiting = (state: DispatcherState): void => {
  if (state.phase !== 'open') return
  for (const [checkId, job] of state.waiting) {
    if (state.running.size >= state.inProgressMax) return
    if (state.running.has(checkId)) continue
    state.waiting.delete(checkId)
    if (isTooLate(state, job)) overload(state, job)
    else start(state, job)
  }
}

const expire = (state: DispatcherState): void => {
  for (const [checkId, job] of state.waiting) {
    if (!isTooLate(state, job)) continue
    state.waiting.delete(checkId)
    overload(state, job)
  }
  if (state.waiting.size === 0) stopExpiry(state)
}

const stopExpiry = (state: DispatcherState): void => {
  if (state.expiry !== null) clearInterval(state.expiry)
  state.expiry = null
}

const runNow = async (
  state: DispatcherState,
  assignment: HeldAssignment,
  asked: Pick<RunContext, 'slot' | 'kind' | 'number'>,
): Promise<Reading | 'busy'> => {
  if (state.phase !== 'open' || state.asked >= runsAskedMax) return 'busy'
  state.asked++
  const context = { ...asked, lateMs: lateMsOf(state, asked.slot) }
  const reading = await measure(state, assignment, context)
  state.asked--
  return reading ?? 'busy'
}

const close = async (state: DispatcherState, graceMs: number): Promise<void> => {
  state.phase = 'closing'
  state.waiting.clear()
  stopExpiry(state)
  const grace = Promise.withResolvers<void>()
  const timer = setTimeout(grace.resolve, graceMs)
  await Promise.race([Promise.all(state.guarded.values()), grace.promise])
  clearTimeout(timer)
  state.phase = 'closed'
  for (const guarded of state.guarded.keys()) guarded.abort()
}
