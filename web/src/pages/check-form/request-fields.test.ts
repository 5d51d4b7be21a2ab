import type { Check } from '@probe-mesh/contracts/check/check'
import { CreateHttpCheckInput, EditHttpCheckInput } from '@probe-mesh/contracts/check/check-input'
import { HttpRequest, RequestOptions } from '@probe-mesh/contracts/check/request-options'
import { StepInput } from '@probe-mesh/contracts/check/step'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { describe, expect, test } from 'vitest'
import { createBody, editBody, fieldNames, typedOfCheck } from './check-texts.ts'
import { stepFields, stepInputs, stepTexts } from './step-texts.ts'

const options = {
  headers: [
    { name: 'X-Api-Key', value: '{{ secret.shop_key }}' },
    { name: 'accept', value: 'a: b' },
  ],
  clientCertificate: { certificate: '-----BEGIN CERTIFICATE-----\nabc\n', key: '{{ secret.client_key }}' },
  redirects: 'never',
  redirectsTo: '/login',
  httpVersion: '2',
  addressFamily: 'ipv6',
  latencyMsMax: 900,
  certificateDaysMin: 14,
  sendTrace: true,
} as const
const basic = { type: 'basic', username: 'probe', password: '{{ secret.shop_password }}' } as const
const bearer = { type: 'bearer', token: '{{ secret.shop_token }}' } as const

describe.each([
  ['basic', basic],
  ['bearer', bearer],
])('with %s credentials', (_type, auth) => {
  const request = { ...options, auth, method: 'PUT', body: 'a\nb', contentType: 'text/plain' } as const
  const check = { name: 'a', url: 'https://a.example/', regions: ['fra'], tags: [], type: 'http' }
  const typed = typedOfCheck(
    { ...check, ...noAssertions, intervalSeconds: 60, paused: false } as unknown as Check,
    { type: 'http', request } as never,
  )

  test('an http check is created from its form as stored, and an unchanged form changes nothing', () => {
    expect(CreateHttpCheckInput.parse(createBody('http', typed)).request).toEqual(request)
    expect(EditHttpCheckInput.parse(editBody('http', typed)).request).toEqual(request)
  })

  test('a step is saved from its form as stored', () => {
    const step = { name: 'a', method: 'GET', url: 'https://a.example/', options: { ...options, auth } }
    const [input] = stepInputs(stepTexts([step]))
    expect(StepInput.parse(input)).toEqual(step)
  })

  test('what was typed for credentials of another kind is left out', () => {
    const both = {
      ...typed,
      'request.auth.username': 'x',
      'request.auth.password': 'y',
      'request.auth.token': 'z',
    }
    expect(CreateHttpCheckInput.safeParse(createBody('http', both)).error).toBeUndefined()
  })
})

test('a form without a request sends none, and an edit clears it', () => {
  expect(createBody('http', { url: 'https://a.example/' })).not.toHaveProperty('request')
  expect(editBody('http', { url: 'https://a.example/' })).toMatchObject({ request: null })
})

test('there is a field for each option, of an http check and of a step', () => {
  const has = (names: readonly string[], path: string): boolean =>
    names.some((each) => each === path || each.startsWith(`${path}.`))
  const names = fieldNames('http', {})
  expect(Object.keys(HttpRequest.shape).filter((name) => !has(names, `request.${name}`))).toEqual([])
  const ofStep = stepFields.map(({ name }) => name)
  expect(Object.keys(RequestOptions.shape).filter((name) => !has(ofStep, `options.${name}`))).toEqual([])
})

test('a token without a chosen kind is a bearer token, and a header without a colon is refused by the API', () => {
  const typed = { url: 'https://a.example/', 'request.auth.token': 'abcdefgh', 'request.headers': 'accept' }
  const body = createBody('http', typed)
  expect(body['request']).toEqual({
    auth: { type: 'bearer', token: 'abcdefgh' },
    headers: [{ name: 'accept', value: '' }],
  })
})
