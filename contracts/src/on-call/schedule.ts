import { isTimeZone } from '@probe-mesh/runtime/zoned-time'
import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line } from '../schema/text.ts'

export const layersMax = 5
const membersPerLayerMax = 20
const overridesMax = 100
export const schedulesMax = 50
/** The calendar of a schedule. */
export const calendarDays = 28

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00')
const date = z.iso.date('must be a date such as 2026-11-30')

const InputInstant = z.iso.datetime({
  offset: true,
  message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z',
})

/** The settings of a layer. */
const turn = {
  /** In their order. A member may be named twice. */
  userIds: z.array(Uuid).min(1, 'name at least one member').max(membersPerLayerMax),
  /** The time of day of each hand-over, in the zone of the schedule. */
  handOver: time,
  /** When the shift of a day ends, in the zone of the schedule, on the next day if it is earlier; null: at the next hand-over. */
  until: time.nullish(),
  /** How long a turn is. */
  length: z.int().min(1).max(90),
  /** `on_call_days` counts the days of `weekdays` alone: a turn of two is Friday and Monday. */
  unit: z.enum(['days', 'weeks', 'on_call_days']),
  /** The day of the first hand-over. */
  startDate: date,
  /** Days on which the layer is on call, from their hand-over to the next: 1 is Monday. */
  weekdays: z
    .array(z.int().min(1).max(7))
    .min(1, 'name at least one day')
    .refine((days) => new Set(days).size === days.length, 'a day is named twice')
    .default([1, 2, 3, 4, 5, 6, 7]),
}

/** Members who take turns. A later layer goes before an earlier one. */
export const Layer = z.strictObject(turn).refine(({ until, handOver }) => until !== handOver, {
  path: ['until'],
  message: 'is the hand-over: leave it empty to be on call until the next one',
})
export type Layer = z.infer<typeof Layer>

/** Somebody else is on call for a while. A later override goes before an earlier one. */
const Override = z
  .strictObject({ userId: Uuid, from: InputInstant, to: InputInstant })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ['to'],
    message: 'must be after from',
  })
export type Override = z.infer<typeof Override>

const fields = {
  name: Line,
  /** An IANA zone, such as `Europe/Berlin`. */
  timeZone: z.string().refine(isTimeZone, 'is not a time zone, such as Europe/Berlin'),
  layers: z.array(Layer).max(layersMax),
  overrides: z.array(Override).max(overridesMax),
}

export const ScheduleInput = z.strictObject({ ...fields, overrides: fields.overrides.default([]) })
export type ScheduleInput = z.infer<typeof ScheduleInput>

/** A stretch of time with one member on call, or with none. */
export const Shift = z.object({ userId: z.string().nullable(), from: Instant, to: Instant })
export type Shift = z.infer<typeof Shift>

export const Schedule = z.object({
  id: z.string(),
  ...fields,
  /** Who is on call now; null: no member. `until`: when that changes, null: not within the calendar. */
  now: z.object({ userId: z.string().nullable(), until: Instant.nullable() }),
  /** The secret address of its calendar. */
  feedUrl: z.string(),
})
export type Schedule = z.infer<typeof Schedule>
