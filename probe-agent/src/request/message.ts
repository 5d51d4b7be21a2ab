import type { StepMethod } from '@probe-mesh/contracts/reading/reading-details'

/** The content of a request without its URL; body and content type are independent. */
export type Message = { method: StepMethod; body: Buffer | null; contentType: string | null }

/** The request of an http check, and of every redirect. */
export const plainGet: Message = { method: 'GET', body: null, contentType: null }

/** RFC 9110 8.6: methods that define a meaning for content send a length of 0. */
const expectsContent: ReadonlySet<StepMethod> = new Set(['POST', 'PUT', 'PATCH'])

const none: readonly string[] = []

/** The headers of a message, as alternating names and values; none for a plain GET. */
export const contentHeaders = (message: Message): readonly string[] => {
  if (message === plainGet) return none
  const { method, body, contentType } = message
  const headers = contentType === null ? [] : ['content-type', contentType]
  if (body !== null) headers.push('content-length', String(body.length))
  else if (expectsContent.has(method)) headers.push('content-length', '0')
  return headers
}
