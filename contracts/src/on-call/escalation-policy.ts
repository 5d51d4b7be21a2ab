import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Line } from '../schema/text.ts'

export const levelsMax = 10
export const policiesMax = 50
const minutesMax = 1_440

const ids = (what: string) =>
  z
    .array(Uuid)
    .max(20)
    .refine((values) => new Set(values).size === values.length, `a ${what} is named twice`)
    .default([])

export const EscalationLevel = z
  .strictObject({
    /** After the start of the round. */
    afterMinutes: z.int().min(0).max(minutesMax),
    userIds: ids('member'),
    scheduleIds: ids('schedule'),
    channelIds: ids('channel'),
  })
  .refine(
    ({ userIds, scheduleIds, channelIds }) => userIds.length + scheduleIds.length + channelIds.length > 0,
    {
      path: ['userIds'],
      message: 'name at least one member, schedule or channel',
    },
  )
export type EscalationLevel = z.infer<typeof EscalationLevel>

const fields = {
  name: Line,
  levels: z
    .array(EscalationLevel)
    .min(1, 'name at least one level')
    .max(levelsMax)
    .superRefine((levels, context) => {
      for (const [index, { afterMinutes }] of levels.entries()) {
        const before = levels[index - 1]?.afterMinutes
        const message =
          before === undefined && afterMinutes !== 0
            ? 'must be 0 for the first level'
            : before !== undefined && afterMinutes <= before
              ? 'must be later than the level before'
              : null
        if (message !== null) context.addIssue({ code: 'custom', path: [index, 'afterMinutes'], message })
      }
    }),
  /** How often the whole policy is repeated. */
  repeats: z.int().min(0).max(9),
  /** From the last level to the first of the next round. */
  repeatAfterMinutes: z.int().min(1).max(minutesMax),
}

/** Who is notified of an alert, and when the next ones are, until somebody takes it. */
export const EscalationPolicy = z.object({ id: z.string(), ...fields })
export type EscalationPolicy = z.infer<typeof EscalationPolicy>

export const EscalationPolicyInput = z.strictObject({
  ...fields,
  repeats: fields.repeats.default(0),
  repeatAfterMinutes: fields.repeatAfterMinutes.default(30),
})
export type EscalationPolicyInput = z.infer<typeof EscalationPolicyInput>
