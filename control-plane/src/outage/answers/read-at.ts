import type { ReadAt } from '../region-reading.ts'
import type { AnswersContext } from './context.ts'

/** How readings count for an answer that is made now. */
export const readAt = ({
  now,
  staleAfterMs,
  vantage,
}: Pick<AnswersContext, 'now' | 'staleAfterMs' | 'vantage'>): ReadAt => ({
  nowMs: now(),
  staleAfterMs,
  vantage,
})
