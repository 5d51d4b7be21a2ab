import type { EscalationLevel } from '@probe-mesh/contracts/on-call/escalation-policy'
import { whoIsOnCall, type Rotation } from '../on-call/who-is-on-call.ts'

/** How far the escalation of an alert has come. Stored as JSON. Levels and rounds count from 0. */
export type EscalationState = {
  policyId: string
  /** null: nothing more follows. */
  next: { round: number; level: number; dueMs: number } | null
  /** Everyone who was notified by it, by id. They get the further messages about the alert. */
  told: string[]
}

export type Policy = {
  readonly id: string
  readonly name: string
  readonly levels: readonly EscalationLevel[]
  readonly repeats: number
  readonly repeatAfterMinutes: number
}

/** A level whose time has come. */
export type ReachedLevel = {
  round: number
  level: number
  receiverIds: string[]
  /** The names of schedules in which no member is on call. */
  gaps: string[]
}

const minuteMs = 60_000

/** Whom a level means now. @param isKnown whether a member or channel still exists */
export const targetsOf = (
  level: EscalationLevel,
  schedules: ReadonlyMap<string, Rotation & { name: string }>,
  isKnown: (id: string) => boolean,
  nowMs: number,
): Pick<ReachedLevel, 'receiverIds' | 'gaps'> => {
  const ids = [...level.userIds, ...level.channelIds].filter(isKnown)
  const gaps: string[] = []
  for (const id of level.scheduleIds) {
    const schedule = schedules.get(id)
    if (schedule === undefined) continue
    const userId = whoIsOnCall(schedule, nowMs)
    if (userId !== null && isKnown(userId)) ids.push(userId)
    else gaps.push(schedule.name)
  }
  return { receiverIds: [...new Set(ids)], gaps }
}

/**
 * Goes through the levels whose time has come. A late level delays the ones after it, so that each gets its time. A
 * level that reaches no one passes on at once.
 * @param before null: the alert begins
 */
export const escalate = (
  before: EscalationState | null,
  policy: Policy,
  targets: (level: EscalationLevel) => Pick<ReachedLevel, 'receiverIds' | 'gaps'>,
  nowMs: number,
): { state: EscalationState; reached: ReachedLevel[] } => {
  const isSame = before?.policyId === policy.id
  const told = new Set(before?.told)
  const reached: ReachedLevel[] = []
  let next = isSame ? before.next : { round: 0, level: 0, dueMs: nowMs }
  while (next !== null && next.dueMs <= nowMs) {
    const { round, level } = next
    const current = policy.levels[level]
    const found = current === undefined ? { receiverIds: [], gaps: [] } : targets(current)
    if (current !== undefined) reached.push({ round, level, ...found })
    for (const id of found.receiverIds) told.add(id)
    next = afterLevel(policy, { round, level }, nowMs, found.receiverIds.length > 0)
  }
  return { state: { policyId: policy.id, next, told: [...told] }, reached }
}

/** The level after one, or the first of the next round. */
const afterLevel = (
  { levels, repeats, repeatAfterMinutes }: Policy,
  { round, level }: { round: number; level: number },
  nowMs: number,
  hasReached: boolean,
): EscalationState['next'] => {
  const following = levels[level + 1]
  if (following !== undefined) {
    const minutes = hasReached ? following.afterMinutes - (levels[level]?.afterMinutes ?? 0) : 0
    return { round, level: level + 1, dueMs: nowMs + minutes * minuteMs }
  }
  if (round >= repeats) return null
  return { round: round + 1, level: 0, dueMs: nowMs + repeatAfterMinutes * minuteMs }
}
