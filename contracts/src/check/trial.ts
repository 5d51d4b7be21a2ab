import { z } from 'zod'
import { StoredReading } from './check.ts'
import { AnswerExcerpt } from '../reading/reading.ts'
import { AnyRegion } from '../reading/regions.ts'

/** The result of a trial: one reading per region, not stored. */
export const Trial = z.object({
  readings: z.array(StoredReading),
  /** Regions without a running agent, or whose agent did not answer in time. */
  unanswered: z.array(AnyRegion),
  /** `local` when every region is measured from one machine (all-in-one). */
  /** The begin of one region's answer, for http checks. */
  excerpt: AnswerExcerpt.optional(),
  vantage: z.enum(['local', 'regional']),
})
export type Trial = z.infer<typeof Trial>
