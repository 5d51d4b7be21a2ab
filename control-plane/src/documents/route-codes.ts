import type { RefusalCode } from '@probe-mesh/contracts/schema/refusal'
import type { Route } from '@probe-mesh/contracts/api/routes'
import type { AnswerRoute } from '@probe-mesh/contracts/outage/answer-routes'

/** The codes that a keyed route may answer with, in order. */
export const routeCodes = (route: Route): RefusalCode[] =>
  [...new Set([...codesOfKind(route), ...(route.codes ?? [])])].toSorted()

const codesOfKind = (route: Route): RefusalCode[] => [
  'SV-1001',
  'SV-1002',
  'SV-1003',
  'SV-1012',
  ...(route.scope === 'read_write' ? (['SV-1004'] as const) : []),
  'SV-2001',
  ...(route.params === undefined ? [] : (['SV-3001'] as const)),
  // the request of the Idempotency-Key is still running
  ...(route.method === 'POST' && route.scope === 'read_write' ? (['SV-3002'] as const) : []),
  ...(route.client === undefined ? [] : (['SV-3005'] as const)),
  route.budget === 'reads' ? 'SV-6001' : 'SV-6002',
  'SV-9001',
  'SV-9002',
]

/** The codes that a keyless route may answer with, in order. */
export const answerCodes = (route: AnswerRoute): RefusalCode[] =>
  [...new Set<RefusalCode>(['SV-2001', 'SV-6004', 'SV-9001', ...(route.codes ?? [])])].toSorted()
