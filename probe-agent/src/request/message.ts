import type { StepMethod } from '@probe-mesh/contracts/reading/reading-details'

/** What a request says beside where it goes; body and content type are independent of each other. */
export type Message = { method: StepMethod; body: Buffer | null; contentType: string | null }

/** What an http check sends, and what every redirect is followed by. */
export const plainGet: Message = { method: 'GET', body: null, contentType: null }

/** RFC 9110 8.6: methods that give content a meaning say so when there is none. */
const expectsContent: ReadonlySet<StepMethod> = new Set(['POST', 'PUT', 'PATCH'])

const none: readonly string[] = []

/** The headers of a message, as name and value in turn; none for a plain GET. */
export const contentHeaders = (message: Message): readonly string[] => {
  if (message === plainGet) return none
  const { method, body, contentType } = message
  const headers = contentType === null ? [] : ['content-type', contentType]
  if (body !== null) headers.push('content-length', String(body.length))
  else if (expectsContent.has(method)) headers.push('content-length', '0')
  return headers
}
