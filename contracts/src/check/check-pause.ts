import { z } from 'zod'
import { CheckParams, Instant } from './check.ts'
import { read, type Route } from '../schema/route.ts'

/** How far ahead the end of a pause may be. */
export const pauseDaysMax = 90

/** An instant at which a pause ends by itself; as sent. */
export const PauseEnd = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

export const CheckPause = z.object({
  paused: z.boolean(),
  /** When it resumes by itself; null: it does not. In the past: a resume was refused and is tried again. */
  until: Instant.nullable(),
})
export type CheckPause = z.infer<typeof CheckPause>

export const checkPauseRoutes = {
  getCheckPause: read({
    path: '/checks/:id/pause',
    summary: 'Whether a check is paused, and until when',
    params: CheckParams,
    output: CheckPause,
  }),
} as const satisfies Record<string, Route>
