import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { expect, test } from 'vitest'
import { hoistCredentials } from './hoist-credentials.ts'
import { placedRequests } from './placed-requests.ts'

const hoist = (request: HttpRequest, url = 'https://api.example.com/v1', taken: string[] = []) => {
  const placed = placedRequests({ url, config: { type: 'http', request } })
  const { requests, found } = hoistCredentials(placed, taken)
  return { request: requests[0], found }
}

test('passwords, tokens and sensitive headers in clear become secrets, bound to the host', () => {
  const headers = [
    { name: 'Authorization', value: 'ApiKey abcdefgh' },
    { name: 'X-Api-Key', value: 'key of the shop' },
    { name: 'accept', value: 'application/json' },
  ]
  const { request, found } = hoist({
    headers,
    auth: { type: 'basic', username: 'probe', password: 'pass phrase' },
  })
  expect(request).toEqual({
    headers: [
      { name: 'Authorization', value: 'ApiKey {{ secret.api_example_com_authorization }}' },
      { name: 'X-Api-Key', value: '{{ secret.api_example_com_x_api_key }}' },
      { name: 'accept', value: 'application/json' },
    ],
    auth: { type: 'basic', username: 'probe', password: '{{ secret.api_example_com_password }}' },
  })
  expect(found.map(({ value, hosts, path }) => [value, hosts, path])).toEqual([
    ['abcdefgh', ['api.example.com'], 'request.headers[0].value'],
    ['key of the shop', ['api.example.com'], 'request.headers[1].value'],
    ['pass phrase', ['api.example.com'], 'request.auth.password'],
  ])
})

test.for(['authorization', 'Cookie', 'x-api-key', 'apikey', 'X-Auth-Token', 'client-secret', 'api_key'])(
  'the header %s holds a credential',
  (name) => {
    expect(hoist({ headers: [{ name, value: 'some-value' }] }).found).toMatchObject([{ value: 'some-value' }])
  },
)

test.for(['accept', 'x-request-id', 'accept-language', 'monkey', 'x-trace'])(
  'the header %s holds none',
  (name) => {
    expect(hoist({ headers: [{ name, value: 'some value' }] }).found).toEqual([])
  },
)

test('what names a secret stays as it is', () => {
  const request: HttpRequest = {
    headers: [{ name: 'authorization', value: 'Token {{ secret.shop }}' }],
    auth: { type: 'bearer', token: '{{secret.shop}}' },
  }
  expect(hoist(request)).toEqual({ request, found: [] })
})

test('names are new in any case, begin with a letter, and one value has one name', () => {
  const request: HttpRequest = { auth: { type: 'bearer', token: 'a long token' } }
  const [first] = hoist(request, 'https://api.example.com:8443/', ['API_EXAMPLE_COM_8443_TOKEN']).found
  expect(first).toMatchObject({ name: 'api_example_com_8443_token_2', hosts: ['api.example.com:8443'] })
  expect(hoist(request, 'https://192.0.2.1/').found[0]?.name).toBe('at_192_0_2_1_token')
  const twice = hoist({
    headers: [
      { name: 'x-api-key', value: 'a long token' },
      { name: 'x-token', value: 'a long token' },
    ],
  })
  expect(twice.found).toHaveLength(1)
  const long = hoist(request, `https://${'a'.repeat(60)}.example.com/`).found[0]?.name ?? ''
  expect(long).toMatch(/^[a-z]\w{0,63}$/)
})
