import type { SecureContext } from 'node:tls'
import type { StepMethod } from '@probe-mesh/contracts/reading/reading-details'

/** The content of a request without its URL; body and content type are independent. */
export type Message = {
  method: StepMethod
  body: Buffer | null
  contentType: string | null
  /** What the owner adds to it: for its origin alone. */
  own?: OwnParts
}

export type OwnParts = {
  /** Alternating names, in lower case, and values. */
  fields: readonly string[]
  /** Instead of any type. */
  accept: string | null
  /** Before the cookies of the jar. */
  cookie: string | null
  /** With a client certificate; null: none. */
  trust: SecureContext | null
}

/** The request of an http check without options, and of every redirect of a journey. */
export const plainGet: Message = { method: 'GET', body: null, contentType: null }

/** RFC 9110 8.6: methods that define a meaning for content send a length of 0. */
const expectsContent: ReadonlySet<StepMethod> = new Set(['POST', 'PUT', 'PATCH'])

const none: readonly string[] = []

export const acceptOf = ({ own }: Message): string => own?.accept ?? '*/*'

/** The Cookie header of a message with the cookies of the jar; null: none. */
export const cookieOf = ({ own }: Message, ofJar: string | null): string | null => {
  const ofOwner = own?.cookie ?? null
  return ofOwner === null || ofJar === null ? (ofOwner ?? ofJar) : `${ofOwner}; ${ofJar}`
}

/** The headers of a message, as alternating names and values; none for a plain GET. */
export const contentHeaders = (message: Message): readonly string[] => {
  if (message === plainGet) return none
  const { method, body, contentType, own } = message
  const headers = contentType === null ? [] : ['content-type', contentType]
  if (own !== undefined) headers.push(...own.fields)
  if (body !== null) headers.push('content-length', String(body.length))
  else if (expectsContent.has(method)) headers.push('content-length', '0')
  return headers
}
