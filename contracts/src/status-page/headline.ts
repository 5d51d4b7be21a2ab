import { z } from 'zod'

/** What a page says as a whole, worst last. `notice`: all is operational, and an incident without impact is open. */
export const HeadlineLevel = z.enum([
  'operational',
  'notice',
  'no_data',
  'maintenance',
  'degraded',
  'partial_outage',
  'major_outage',
])
export type HeadlineLevel = z.infer<typeof HeadlineLevel>

/**
 * The first sentence of a page: the worst of what is measured, posted and announced. A component without data is
 * never healthy: without anything worse the level is `no_data`, and the text says how many have none.
 */
export const PublicHeadline = z.object({
  level: HeadlineLevel,
  /** In the language of the page. */
  text: z.string(),
  /** The language of the text, such as `de`. */
  language: z.string(),
  /** The open incident that decides; null: measurements or maintenance do. */
  incidentId: z.string().nullable(),
  /** The components that the level is about; empty when all is operational. */
  componentIds: z.array(z.string()),
  /** Components without current data. */
  unmeasured: z.int(),
})
export type PublicHeadline = z.infer<typeof PublicHeadline>
