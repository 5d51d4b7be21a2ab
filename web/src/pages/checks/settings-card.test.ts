import { expect, test } from 'vitest'
import { requestText } from './settings-card.ts'

const headers = [
  { name: 'X-Api-Key', value: '{{ secret.shop_key }}' },
  { name: 'accept', value: 'a: b' },
]
const auth = { type: 'bearer', token: '{{ secret.shop_token }}' }
const clientCertificate = { certificate: '', key: '{{ secret.client_key }}' }

test.each([
  [null, undefined],
  ['POST', { method: 'POST' }],
  [
    'GET with the headers X-Api-Key, accept, a token, a client certificate',
    { headers, auth, clientCertificate },
  ],
])('a request is told as %j', (text, request) => {
  expect(requestText({ type: 'http', ...(request && { request }) } as never)).toBe(text)
})
