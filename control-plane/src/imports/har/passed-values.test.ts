import { describe, expect, test } from 'vitest'
import { createSecretFinder } from '../draft/found-secrets.ts'
import { har, type Spec } from '../testing/har.ts'
import { readHar } from './read-har.ts'

const shop = 'https://shop.example'
const problemsOf = (text: string) => {
  const result = readHar(text, createSecretFinder([]))
  return 'problems' in result ? result.problems : result.steps.flatMap(({ problems }) => problems)
}

describe('a value of an earlier answer is found', () => {
  const token = 'c2Vzc2lvbi10b2tlbg+/8a=='
  test.each<[string, Spec, Spec, string]>([
    [
      'in a header',
      { url: `${shop}/`, answer: `<meta name="csrf" content="${token}">` },
      { url: `${shop}/a`, headers: { 'X-CSRF-Token': token } },
      'X-CSRF-Token',
    ],
    [
      'as a bearer token, which may look like words',
      { url: `${shop}/login`, method: 'POST', answer: '{"data":{"access_token":"nope-token-55443"}}' },
      { url: `${shop}/a`, headers: { Authorization: 'Bearer nope-token-55443' } },
      'Authorization',
    ],
    [
      'in a query',
      { url: `${shop}/`, answer: `{"next":"${token}"}` },
      { url: `${shop}/a?cursor=${encodeURIComponent(token)}` },
      'cursor',
    ],
    [
      'in a JSON body',
      { url: `${shop}/`, answer: JSON.stringify({ a: { b: 'f81d4fae-7dec-11d0' } }) },
      {
        url: `${shop}/a`,
        method: 'POST',
        mime: 'application/json',
        body: '{"order":{"id":"f81d4fae-7dec-11d0"}}',
      },
      'id',
    ],
    [
      'as a number of a JSON body',
      { url: `${shop}/`, answer: '{"order":{"number":4711081547}}' },
      { url: `${shop}/a`, method: 'POST', mime: 'application/json', body: '{"order":4711081547}' },
      'order',
    ],
    [
      'in a form, escaped as HTML',
      {
        url: `${shop}/`,
        answer: `<input value="${token.replaceAll('+', '&#43;').replaceAll('=', '&#x3D;')}">`,
      },
      {
        url: `${shop}/a`,
        method: 'POST',
        body: new URLSearchParams({ authenticity_token: token }).toString(),
      },
      'authenticity_token',
    ],
    [
      'in a script, escaped as JSON',
      { url: `${shop}/`, answer: `token="${token.replaceAll('/', '\\/').replaceAll('+', '\\u002b')}"` },
      { url: `${shop}/a`, headers: { 'x-app-token': token } },
      'x-app-token',
    ],
    [
      'in a cookie that a page reads',
      { url: `${shop}/`, answerHeaders: { 'set-cookie': `XSRF-TOKEN=${encodeURIComponent(token)}; Path=/` } },
      { url: `${shop}/a`, headers: { 'X-XSRF-TOKEN': token } },
      'X-XSRF-TOKEN',
    ],
    [
      'as a bearer token of a login',
      { url: `${shop}/`, method: 'POST', body: 'a=b', answer: '{"token":"eyJhbGciOiJI.eyJzdWIi.s1gn4tur3"}' },
      { url: `${shop}/a`, headers: { authorization: 'Bearer eyJhbGciOiJI.eyJzdWIi.s1gn4tur3' } },
      'authorization',
    ],
    [
      'in a path',
      { url: `${shop}/`, answer: '{"id":90071992}' },
      { url: `${shop}/orders/90071992/items` },
      'the part 90071992 of the path',
    ],
  ])('%s', (_, first, second, name) => {
    expect(problemsOf(har(first, second))).toEqual([
      `Step 2 sends ${name}, whose value came from the answer of step 1; journeys cannot pass values yet.`,
    ])
  })

  test('behind a redirect, and in a request that is no step', () => {
    const form = { url: `${shop}/a`, method: 'POST', body: 'csrf=abcdefgh1234567' }
    const answer = '<input name="csrf" value="abcdefgh1234567">'
    expect(
      problemsOf(
        har({ url: `${shop}/`, status: 302, location: '/login' }, { url: `${shop}/login`, answer }, form),
      ),
    ).toEqual([expect.stringContaining('sends csrf, whose value came from the answer of step 1;')])
    expect(
      problemsOf(har({ url: `${shop}/` }, { type: 'script', url: `${shop}/a.js`, answer }, form)),
    ).toEqual([
      expect.stringContaining('sends csrf, whose value came from the answer of a request that is no step;'),
    ])
  })

  test('with every name at once, and the token of a session also when no answer has it', () => {
    const first = { url: `${shop}/`, answer: 'one1two2three3 four4five5six6' }
    const second = {
      url: `${shop}/a?x=one1two2three3`,
      method: 'POST',
      body: 'y=four4five5six6&_csrf=zzzzzzzz',
    }
    expect(problemsOf(har(first, second))).toEqual([
      expect.stringContaining('sends y, whose'),
      expect.stringContaining('sends _csrf, which servers make anew for each session'),
      expect.stringContaining('sends x, whose'),
    ])
  })
})

test.each<[string, Spec[]]>([
  [
    'what a person typed first',
    [
      { url: `${shop}/find?q=ab12cd34ef56` },
      { url: `${shop}/?q=ab12cd34ef56`, answer: 'ab12cd34ef56' },
      { url: `${shop}/next?q=ab12cd34ef56` },
    ],
  ],
  [
    'a word that a page has by chance',
    [{ url: `${shop}/`, answer: '<a href="?tab=dashboard">' }, { url: `${shop}/?tab=dashboard` }],
  ],
  [
    'a cookie that the jar carries',
    [
      { url: `${shop}/`, answerHeaders: { 'set-cookie': 'sid=a1b2c3d4e5f6' } },
      { url: `${shop}/a`, headers: { Cookie: 'sid=a1b2c3d4e5f6' } },
    ],
  ],
  [
    'a date and an address',
    [
      { url: `${shop}/`, answer: '2026-11-28T10:00:00Z me12345a6@example.org' },
      { url: `${shop}/?from=2026-11-28T10:00:00Z&mail=me12345a6@example.org` },
    ],
  ],
])('%s is not taken for a value of an answer', (_, entries) => {
  expect(problemsOf(har(...entries))).toEqual([])
})
