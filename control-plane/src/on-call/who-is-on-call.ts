import type { Layer, Override } from '@probe-mesh/contracts/on-call/schedule'
import { dayNumberOf, positionOn } from '@probe-mesh/contracts/on-call/turn-shares'
import { firstInstantOf, wallClock } from '@probe-mesh/runtime/zoned-time'

/** The part of a schedule that says who is on call. */
export type Rotation = {
  readonly timeZone: string
  readonly layers: readonly Layer[]
  readonly overrides: readonly Override[]
}

/** A stretch of time with one member on call; null: none. Unix milliseconds. */
export type ShiftSpan = { userId: string | null; fromMs: number; toMs: number }

const dayMs = 86_400_000

/** Who is on call at an instant: the last override that covers it, else the last layer that does; null: no member. */
export const whoIsOnCall = ({ timeZone, layers, overrides }: Rotation, nowMs: number): string | null => {
  const override = overrides.findLast(({ from, to }) => Date.parse(from) <= nowMs && nowMs < Date.parse(to))
  if (override !== undefined) return override.userId
  for (const layer of layers.toReversed()) {
    const userId = turnOf(layer, timeZone, nowMs)
    if (userId !== null) return userId
  }
  return null
}

const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

const dayAt = (ms: number, timeZone: string): number => dayNumberOf(wallClock(ms, timeZone).slice(0, 10))

const handOverMs = ({ handOver }: Pick<Layer, 'handOver'>, day: number, timeZone: string): number =>
  firstInstantOf(`${dateOf(day)}T${handOver}`, timeZone)

/** When the shift of a day ends before the next hand-over; null: it does not. */
const endMs = ({ handOver, until }: Layer, day: number, timeZone: string): number | null =>
  typeof until !== 'string'
    ? null
    : firstInstantOf(`${dateOf(until > handOver ? day : day + 1)}T${until}`, timeZone)

/** The member whose turn of a day it is; null: before the start, or a free day. */
const memberOn = (layer: Layer, day: number): string | null => {
  const position = positionOn(layer, day)
  return position === null ? null : (layer.userIds[position] ?? null)
}

/** The member whose turn of a layer it is. A day begins with its hand-over; null: none is on call. */
const turnOf = (layer: Layer, timeZone: string, nowMs: number): string | null => {
  const today = dayAt(nowMs, timeZone)
  // a clock that is put back shows a former day, or a former hour, once more
  const day = [today + 1, today, today - 1].find((each) => handOverMs(layer, each, timeZone) <= nowMs)
  if (day === undefined || nowMs >= (endMs(layer, day, timeZone) ?? Infinity)) return null
  return memberOn(layer, day)
}

/** The shifts from `fromMs` to `toMs`, without a break; neighbours differ. */
export const shiftsBetween = (rotation: Rotation, fromMs: number, toMs: number): ShiftSpan[] => {
  const shifts: ShiftSpan[] = []
  const edges = changesBetween(rotation, fromMs, toMs)
  for (const [index, startMs] of edges.entries()) {
    const endMs = edges[index + 1] ?? toMs
    const userId = whoIsOnCall(rotation, startMs)
    const last = shifts.at(-1)
    if (last !== undefined && last.userId === userId) last.toMs = endMs
    else shifts.push({ userId, fromMs: startMs, toMs: endMs })
  }
  return shifts
}

/** Steps in which the ends of a shift are searched, days; each is twice as long as the one before. */
const stepDays = 28

/**
 * The shifts that touch a time, each from its true start to its true end (S-1973).
 * @param sight no shift is searched beyond these, Unix ms
 */
export const wholeShifts = (
  rotation: Rotation,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  sight: { fromMs: number; toMs: number },
): ShiftSpan[] => {
  const shifts = shiftsBetween(rotation, fromMs, toMs)
  const [first, last] = [shifts[0], shifts.at(-1)]
  if (first === undefined || last === undefined) return shifts
  for (let days = stepDays; first.fromMs > sight.fromMs; days *= 2) {
    const beforeMs = Math.max(sight.fromMs, first.fromMs - days * dayMs)
    const before = shiftsBetween(rotation, beforeMs, first.fromMs).at(-1)
    if (before === undefined || before.userId !== first.userId) break
    first.fromMs = before.fromMs
    if (before.fromMs > beforeMs) break
  }
  for (let days = stepDays; last.toMs < sight.toMs; days *= 2) {
    const afterMs = Math.min(sight.toMs, last.toMs + days * dayMs)
    const [after] = shiftsBetween(rotation, last.toMs, afterMs)
    if (after === undefined || after.userId !== last.userId) break
    last.toMs = after.toMs
    if (after.toMs < afterMs) break
  }
  return shifts
}

/** When the shift may change, in order: the start, turns of layers, and the ends of overrides. */
const changesBetween = (
  { timeZone, layers, overrides }: Rotation,
  fromMs: number,
  toMs: number,
): number[] => {
  const edges = new Set([fromMs])
  const add = (ms: number | null): void => {
    if (ms !== null && ms > fromMs && ms < toMs) edges.add(ms)
  }
  for (const { from, to } of overrides) {
    add(Date.parse(from))
    add(Date.parse(to))
  }
  const [first, last] = [dayAt(fromMs - dayMs, timeZone), dayAt(toMs + dayMs, timeZone)]
  let hiddenFrom = Infinity
  for (const layer of layers.toReversed()) {
    // one day more of a hidden layer: zones and hand-overs differ by less
    for (let day = first; day <= Math.min(last, hiddenFrom + 1); day++) {
      const [before, member] = [memberOn(layer, day - 1), memberOn(layer, day)]
      if (before !== member || (typeof layer.until === 'string' && member !== null))
        add(handOverMs(layer, day, timeZone))
      if (member !== null) add(endMs(layer, day, timeZone))
    }
    // nothing of an earlier layer shows below one that is always on call
    if (typeof layer.until !== 'string' && layer.weekdays.length === 7)
      hiddenFrom = Math.min(hiddenFrom, dayNumberOf(layer.startDate))
  }
  return [...edges].toSorted((a, b) => a - b)
}
