import { createHash } from 'node:crypto'

/**
 * The span of a request in a trace that was sent as W3C `traceparent`: it follows from the trace, so that spans of the
 * run that are written later are the parents of those of the target.
 * @param request the number of the request among those of the check, from 1
 */
export const requestSpanId = (traceId: string, request: number): string =>
  createHash('sha256').update(`span ${traceId} ${request}`).digest('hex').slice(0, 16)
