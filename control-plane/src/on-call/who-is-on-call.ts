import type { Layer, Override } from '@probe-mesh/contracts/on-call/schedule'
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

/** Days are numbers, so that a day is added in any zone. */
const dayNumberOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs
const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

const handOverMs = ({ handOver }: Pick<Layer, 'handOver'>, day: number, timeZone: string): number =>
  firstInstantOf(`${dateOf(day)}T${handOver}`, timeZone)

/** The member whose turn of a layer it is. A day begins with its hand-over; null: before the start, or a free day. */
const turnOf = (layer: Layer, timeZone: string, nowMs: number): string | null => {
  const today = dayNumberOf(wallClock(nowMs, timeZone).slice(0, 10))
  // a clock that is put back shows a former day, or a former hour, once more
  const day = [today + 1, today, today - 1].find((each) => handOverMs(layer, each, timeZone) <= nowMs)
  if (day === undefined) return null
  const elapsed = day - dayNumberOf(layer.startDate)
  // 1970-01-01 was a Thursday
  const weekday = ((day + 3) % 7) + 1
  if (elapsed < 0 || !layer.weekdays.includes(weekday)) return null
  const turn = Math.floor(elapsed / (layer.length * (layer.unit === 'weeks' ? 7 : 1)))
  return layer.userIds[turn % layer.userIds.length] ?? null
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

/** When the shift may change, in order: the start, hand-overs, and the ends of overrides. */
const changesBetween = (
  { timeZone, layers, overrides }: Rotation,
  fromMs: number,
  toMs: number,
): number[] => {
  const edges = new Set([fromMs])
  const add = (ms: number): void => {
    if (ms > fromMs && ms < toMs) edges.add(ms)
  }
  for (const { from, to } of overrides) {
    add(Date.parse(from))
    add(Date.parse(to))
  }
  const [first, last] = [fromMs - dayMs, toMs + dayMs].map((ms) =>
    dayNumberOf(wallClock(ms, timeZone).slice(0, 10)),
  )
  for (const layer of layers) {
    for (let day = first ?? 0; day <= (last ?? 0); day++) add(handOverMs(layer, day, timeZone))
  }
  return [...edges].toSorted((a, b) => a - b)
}
