import type { Json } from './openapi-schema.ts'
import type { Route } from '@probe-mesh/contracts/api/routes'

export const budgetHeaders = {
  'RateLimit-Policy': { schema: { type: 'string' }, description: 'Quota and window of the budget' },
  RateLimit: {
    schema: { type: 'string' },
    description: 'Remaining requests, and seconds until the window resets',
  },
}

export const requestHeader = {
  'X-Request-Id': {
    schema: { type: 'string', format: 'uuid' },
    description: 'Id of the request, which the log of the server names when the request fails',
  },
}

export const etagHeader = {
  ETag: {
    schema: { type: 'string' },
    description:
      'Version of the answer. Sent back in If-None-Match, it is answered 304 until something changes',
  },
}

export const locationHeader = {
  Location: {
    schema: { type: 'string', format: 'uri-reference' },
    description: 'Address of the new resource',
  },
}

export const retryHeader = {
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds until a retry can succeed' },
}

export const allowHeader = { Allow: { schema: { type: 'string' }, description: 'Methods that the path has' } }

export const replayHeader = {
  'Idempotency-Replayed': {
    schema: { type: 'string', const: 'true' },
    description: 'This is the answer to an earlier request with the same Idempotency-Key',
  },
}

/** The headers that a request may have. */
export const requestHeaders = (route: Route): Json[] => [
  ...(route.client === undefined
    ? []
    : [
        {
          name: 'Service-Client',
          in: 'header',
          required: true,
          description: 'Name and version of the client. Other clients get SV-3005',
          schema: { type: 'string', pattern: `^${route.client}/[0-9A-Za-z][0-9A-Za-z_.+-]*$` },
        },
      ]),
  ...(route.method === 'POST'
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'A request repeated with this key within 24 hours is executed once and gets the same answer',
          schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
        },
      ]
    : []),
]
