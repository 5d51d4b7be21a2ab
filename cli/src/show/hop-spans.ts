import type { HopTrace } from '@probe-mesh/contracts/reading/reading-details'
import { milliseconds, none } from './measures.ts'
import type { Span } from './waterfall.ts'

/** Each request of a journey where it lay in the run: `2 POST /login`, and `2.1` for its first redirect. */
export const hopSpans = (hops: readonly HopTrace[]): Span[] =>
  hops.map(({ step, hop, method, url, httpStatus, startMs, latencyMs }) => ({
    label: `${step}${hop === 0 ? '' : `.${hop}`} ${method} ${pathOf(url)}`,
    startMs,
    lengthMs: latencyMs,
    value: `${httpStatus ?? none}  ${milliseconds(latencyMs)}`,
  }))

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url)
