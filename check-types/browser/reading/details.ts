import { z } from 'zod'
import { field } from '@probe-mesh/contracts/schema/field'
import { line, milliseconds, named, type CheckTypeReading } from '../../reading/check-reading.ts'

export const BrowserDetails = z.object({
  type: field(z.literal('browser'), 'Type of the check.', 'http'),
  title: field(line.nullable(), 'Title of the page.', 'Shop'),
  lcpMs: field(z.number().min(0).nullable(), 'Largest contentful paint, ms.', 604.2),
  consoleErrors: field(z.array(line).max(10), 'First errors in the console.', []),
  consoleErrorCount: field(z.int().min(0), 'Number of all console errors.', 0),
  requests: field(z.int().min(0), 'Requests of the page.', 14),
  refusedRequests: field(z.int().min(0), 'Requests to addresses that may not be probed.', 0),
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
