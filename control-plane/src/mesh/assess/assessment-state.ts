import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Lease } from '../../stores/leases/leases-store.ts'
import type { AssessedCheck, FlipWrite, StateWrite } from '../../status/states-store.ts'
import { isUnanswered } from '../../status/unanswered.ts'
import { roundMsOf, staleAfterMs } from '../../status/freshness.ts'
import { storedByMs, whatMatters } from '../../status/what-matters.ts'
import { observeReading, type Assessment, type StatusChange } from '../../status/observe.ts'
import {
  asUnmeasured,
  doubtedReason,
  fellSilentSince,
  isSilentSince,
  quarantinedReason,
  withdrawVote,
} from '../../status/withdraw.ts'
import { dueAt, newestAtMs, observeSilence } from './passing-time.ts'
import { toFlip } from './to-flip.ts'
import { createUnwritten, type Unwritten } from './unwritten.ts'

/** A check whose regions must confirm now. */
export type Confirmation = {
  checkId: string
  accountId: string
  regions: readonly Region[]
  /** When this was decided; all answers to one confirmation carry it. */
  atMs: number
}

/** Whether no reading of a check waits elsewhere, so that the time that passes without one is silence. */
type IsReady = (check: AssessedCheck, lease: Lease) => boolean

type Entry = {
  check: AssessedCheck
  /** The lease under which this process judges the check. */
  lease: Lease
  /** The state's version in Postgres, which the next flip must match. */
  storedVersion: number
  changes: StatusChange[]
  /** When the passage of time changes this check, unless a reading comes first. */
  dueAtMs: number
}

type Memory = {
  readonly now: () => number
  readonly entries: Map<string, Entry>
  /** Checks whose state is not in Postgres as it is now. */
  readonly unwritten: Unwritten
  /** Partitions with a reading that was too late to count as it arrived, until that is noted in Postgres. */
  readonly late: Set<number>
  /** Checks with a flip that is not recorded yet. */
  readonly flipping: Set<string>
  quarantined: ReadonlySet<Region>
  /** Regions in which several unrelated hosts stopped answering at once, and since when. */
  bursts: ReadonlyMap<Region, number>
}

/**
 * The assessor's memory: the state of every check of its partitions, and which of it is not in Postgres
 * yet. `status/` decides; nothing here waits or writes.
 */
export const createAssessmentState = (now: () => number) => {
  const memory: Memory = {
    now,
    entries: new Map(),
    unwritten: createUnwritten(),
    late: new Set(),
    flipping: new Set(),
    quarantined: new Set(),
    bursts: new Map(),
  }
  const { entries, unwritten, flipping, late } = memory
  return {
    size: () => entries.size,
    has: (checkId: string) => entries.has(checkId),
    get: (checkId: string) => entries.get(checkId)?.check,
    /** When the passage of time next changes a check; Infinity if it does not. */
    dueAtMs: (checkId: string) => entries.get(checkId)?.dueAtMs ?? Number.POSITIVE_INFINITY,
    /**
     * Loads a check from Postgres. For a known check only the definition is replaced: its state in
     * Postgres is never newer, because no other process judges it under this lease.
     */
    load: (check: AssessedCheck, lease: Lease) => load(memory, check, lease),
    forget: (checkId: string) => forget(memory, checkId),
    /** The lease is lost: its checks belong to another process now. */
    forgetUnder: (lease: Lease): void => {
      for (const [checkId, entry] of entries) if (isUnder(entry, lease)) forget(memory, checkId)
    },
    /**
     * A reading of a paused check does not count: it was under way when the check was paused. While readings may
     * wait elsewhere, a check is judged at the time of its newest reading, as if this process had never been away.
     * @param fromMs not before this; when it arrived, if an earlier owner judged it then
     */
    observe: (reading: Reading, isReady: IsReady = () => true, fromMs = 0) =>
      observe(memory, reading, isReady, fromMs),
    /**
     * From now on exactly these regions are quarantined: their readings count as unmeasured, and the
     * votes of newly quarantined regions are withdrawn from every check.
     */
    quarantine: (regions: ReadonlySet<Region>): void => {
      const added = [...regions].filter((region) => !memory.quarantined.has(region))
      if (added.length === 0 && regions.size === memory.quarantined.size) return
      unwritten.addWhere(() => true)
      memory.quarantined = new Set(regions)
      if (added.length === 0) return
      for (const entry of entries.values()) withdraw(memory, entry, added)
    },
    /**
     * In these regions several unrelated hosts stopped answering at once, since an instant. While that lasts,
     * an unanswered attempt of any check there since that instant counts as unmeasured.
     */
    doubt: (regions: ReadonlyMap<Region, number>): void => {
      if (isSame(regions, memory.bursts)) return
      unwritten.addWhere(() => true)
      memory.bursts = new Map(regions)
      if (regions.size > 0) for (const entry of entries.values()) withdrawBursts(memory, entry)
    },
    /** Applies the passage of time, and a pause, to every check that is due, if it is ready. */
    sweep: (isReady: IsReady): void => {
      const nowMs = now()
      for (const entry of entries.values()) {
        if (entry.dueAtMs > nowMs || !isReady(entry.check, entry.lease)) continue
        apply(memory, entry, observeSilence(entry.check, nowMs))
        entry.dueAtMs = dueAt(entry.check, now())
      }
    },
    /** Flips to record; `settle` confirms those that were. */
    flips: (): FlipWrite[] => [...flipping].flatMap((checkId) => flipOf(entries.get(checkId))),
    /** The flips were recorded: Postgres has this version. */
    settle: (write: FlipWrite) => settle(memory, write),
    /** All states of a partition are to be written. */
    makeDue: (lease: Lease): void =>
      unwritten.addWhere((checkId) => {
        const entry = entries.get(checkId)
        return entry !== undefined && isUnder(entry, lease)
      }),
    /** States that may not wait any longer are to be written. */
    makeOverdueDue: (nowMs: number): void => unwritten.addWhere((_, dueAtMs) => dueAtMs <= nowMs),
    /** States to write behind, removed from the list; a state with a pending flip is written with its flip. */
    takeDirty: (limit: number) => takeDirty(memory, limit),
    /** Whether a flip is not recorded yet: until then nothing may be acknowledged. */
    isFlipping: () => flipping.size > 0,
    dirtyCount: () => unwritten.dueCount() + flipping.size,
    markDirty: (checkIds: Iterable<string>): void => {
      for (const checkId of checkIds) if (entries.has(checkId)) unwritten.add(checkId)
    },
    /** Whether a reading of the partition was too late to count, since the last call. */
    takeLate: ({ partition }: Lease): boolean => late.delete(partition),
    markLate: ({ partition }: Lease): void => void late.add(partition),
    /** States that only got newer since they were last taken, and so are only here; all of them if `isAll`. */
    takeUntold: (isAll: boolean, max = Number.POSITIVE_INFINITY): AssessedCheck[] =>
      unwritten.takeUntold(isAll, max).flatMap((checkId) => entries.get(checkId)?.check ?? []),
  }
}

export type AssessmentState = ReturnType<typeof createAssessmentState>

const load = (memory: Memory, check: AssessedCheck, lease: Lease): void => {
  const found = memory.entries.get(check.checkId)
  if (found !== undefined && found.lease.epoch > lease.epoch) return
  const known = found?.lease.epoch === lease.epoch ? found : undefined
  if (found !== undefined && known === undefined) forget(memory, check.checkId)
  const loaded = known === undefined ? check : { ...check, state: known.check.state }
  const entry: Entry = {
    check: loaded,
    lease,
    storedVersion: known?.storedVersion ?? check.state.version,
    changes: known?.changes ?? [],
    dueAtMs: dueAt(loaded, memory.now()),
  }
  memory.entries.set(check.checkId, entry)
  memory.unwritten.addIfWaiting(check.checkId)
  withdraw(memory, entry, memory.quarantined)
  withdrawBursts(memory, entry)
}

const forget = ({ entries, unwritten, flipping }: Memory, checkId: string): void => {
  for (const each of [entries, flipping]) each.delete(checkId)
  unwritten.drop(checkId)
}

const observe = (memory: Memory, reading: Reading, isReady: IsReady, fromMs: number): Confirmation | null => {
  const entry = memory.entries.get(reading.checkId)
  if (entry === undefined) return null
  const { check } = entry
  const schedule = check.paused ? { ...check, regions: [] } : check
  const nowMs = memory.now()
  const isPresent = isReady(check, entry.lease)
  const judgedAtMs = isPresent ? nowMs : Math.min(nowMs, Math.max(fromMs, newestAtMs(check, reading)))
  const staleAfter = staleAfterMs(check.intervalSeconds)
  const isLate = nowMs - reading.measuredAt > staleAfter
  // it counted as of its own time: at a later one, it would be late
  const isOfItsTime = isLate && judgedAtMs - reading.measuredAt <= staleAfter
  const assessment = observeReading(check.state, schedule, countedAs(memory, check, reading), judgedAtMs)
  // judged again after what came before it here, an older reading would count
  if (assessment.state === check.state) memory.unwritten.addIfWaiting(check.checkId)
  else if (isLate && isPresent) memory.late.add(entry.lease.partition)
  apply(memory, entry, assessment, isOfItsTime)
  // a repetition now says nothing about a failure of long ago
  if (isLate || assessment.confirm.length === 0) return null
  return { checkId: check.checkId, accountId: check.accountId, regions: assessment.confirm, atMs: nowMs }
}

/** The reading as it counts: a reading of a quarantined region, or of a burst, counts as unmeasured. */
const countedAs = ({ quarantined, bursts }: Memory, check: AssessedCheck, reading: Reading): Reading => {
  const { region } = reading
  if (quarantined.has(region)) return asUnmeasured(reading)
  const sinceMs = bursts.get(region)
  if (sinceMs === undefined || !isUnanswered(reading)) return reading
  const fromMs = sinceMs - roundMsOf(check.intervalSeconds)
  const isDoubted = isSilentSince(check.state.regions[region], fromMs)
  return isDoubted ? asUnmeasured(reading, doubtedReason) : reading
}

const apply = (
  { flipping, unwritten, now }: Memory,
  entry: Entry,
  { state, changes }: Assessment,
  isDue = false,
): void => {
  const { checkId, intervalSeconds, state: before } = entry.check
  if (state === before) return
  setState(entry, state, now())
  entry.changes.push(...changes)
  if (changes.length > 0) flipping.add(checkId)
  else if (isDue || whatMatters(before, state) !== null) unwritten.add(checkId)
  else unwritten.addLater(checkId, storedByMs(before, state, intervalSeconds, now()))
}

/** Withdraws the votes of these regions on a check. Its status follows with the next observation. */
const withdraw = (
  { unwritten, now }: Memory,
  entry: Entry,
  regions: Iterable<Region>,
  reason: string = quarantinedReason,
): void => {
  const { checkId, state } = entry.check
  let left = state
  for (const region of regions) left = withdrawVote(left, region, now(), reason)
  if (left === state) return
  setState(entry, left, now())
  unwritten.add(checkId)
}

const withdrawBursts = (memory: Memory, entry: Entry): void => {
  const { state, intervalSeconds } = entry.check
  for (const [region, sinceMs] of memory.bursts) {
    const isOfBurst = fellSilentSince(state.regions[region], sinceMs - roundMsOf(intervalSeconds))
    if (isOfBurst) withdraw(memory, entry, [region], doubtedReason)
  }
}

const setState = (entry: Entry, state: AssessedCheck['state'], nowMs: number): void => {
  entry.check = { ...entry.check, state }
  entry.dueAtMs = dueAt(entry.check, nowMs)
}

const flipOf = (entry: Entry | undefined): FlipWrite[] => {
  if (entry === undefined || entry.changes.length === 0) return []
  const { check, lease, changes, storedVersion: expectedVersion } = entry
  const flips = changes.map((change, index) => toFlip(check, change, expectedVersion + index + 1))
  return [{ checkId: check.checkId, lease, expectedVersion, state: check.state, flips }]
}

const settle = ({ entries, unwritten, flipping }: Memory, write: FlipWrite): void => {
  const entry = entries.get(write.checkId)
  if (entry === undefined || !isUnder(entry, write.lease)) return
  entry.storedVersion = write.state.version
  entry.changes = entry.changes.slice(write.flips.length)
  if (entry.changes.length === 0) flipping.delete(write.checkId)
  if (entry.check.state === write.state) unwritten.drop(write.checkId)
  else unwritten.add(write.checkId)
}

const takeDirty = ({ entries, unwritten, flipping }: Memory, limit: number): StateWrite[] => {
  const writes: StateWrite[] = []
  for (const checkId of unwritten.due()) {
    if (writes.length >= limit) break
    if (flipping.has(checkId)) continue
    unwritten.drop(checkId)
    const entry = entries.get(checkId)
    if (entry !== undefined) writes.push({ checkId, lease: entry.lease, state: entry.check.state })
  }
  return writes
}

const isSame = (a: ReadonlyMap<Region, number>, b: ReadonlyMap<Region, number>): boolean =>
  a.size === b.size && [...a].every(([region, sinceMs]) => b.get(region) === sinceMs)

const isUnder = (entry: Entry, { partition, epoch }: Lease): boolean =>
  entry.lease.partition === partition && entry.lease.epoch === epoch
