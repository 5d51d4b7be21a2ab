import { z } from 'zod'
import { line, milliseconds, named, type CheckTypeReading } from '../../reading/check-reading.ts'

export const BrowserDetails = z.object({
  type: z.literal('browser'),
  title: line.nullable(),
  /** Largest contentful paint, ms rounded to 0.1. */
  lcpMs: z.number().min(0).nullable(),
  /** The first errors; `consoleErrorCount` counts all. */
  consoleErrors: z.array(line).max(10),
  consoleErrorCount: z.int().min(0),
  requests: z.int().min(0),
  /** Requests of the page to addresses that are not allowed as targets. */
  refusedRequests: z.int().min(0),
  ...named,
})

export const browserReading = {
  type: 'browser',
  Details: BrowserDetails,
  rest: 'Page (scripts, images, rendering)',
  facts: (details) => ({
    Title: details.title,
    'Largest contentful paint': milliseconds(details.lcpMs),
    Requests: String(details.requests),
    'Requests refused by the target guard': String(details.refusedRequests),
    'Console errors': String(details.consoleErrorCount),
    'First console errors': details.consoleErrors,
  }),
} as const satisfies CheckTypeReading<typeof BrowserDetails>
