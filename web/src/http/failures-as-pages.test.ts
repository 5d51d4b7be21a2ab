import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { failuresAsPages } from './failures-as-pages.ts'
import { acceptForms } from './form-body.ts'
import { asMarkdown } from '../pages/as-markdown.ts'

const app = fastify()
acceptForms(app)
failuresAsPages(app)
for (const [method, url] of [
  ['GET', '/a'],
  ['GET', asMarkdown('/a')],
  ['POST', '/f'],
] as const) {
  app.route({
    method,
    url,
    bodyLimit: 10,
    // as the app reports an unavailable database
    handler: (_request, reply) =>
      reply
        .code(503)
        .header('content-type', 'application/problem+json; charset=utf-8')
        .header('retry-after', 5)
        .send(JSON.stringify(toProblem(refuse('SV-9002')))),
  })
}
const people = { accept: 'text/html,*/*;q=0.8' }
const posted = { 'content-type': 'application/x-www-form-urlencoded' }

test.each([
  ['GET', '/a', people, 'text/html'],
  ['GET', '/a', { accept: '*/*' }, 'application/problem+json'],
  ['GET', asMarkdown('/a'), { accept: '*/*' }, 'text/markdown'],
  ['GET', asMarkdown('/a'), people, 'text/markdown'],
  // a client that posts a form gets a page, whatever it accepts
  ['POST', '/f', posted, 'text/html'],
] as const)('a failure of %s %s asked with %o is %s', async (method, url, headers, type) => {
  const { statusCode, headers: given, body } = await app.inject({ method, url, headers })
  expect([statusCode, given['content-type']]).toEqual([503, `${type}; charset=utf-8`])
  expect(given['retry-after']).toBe('5')
  // a code is for programs and assistants
  expect(body.includes('SV-9002')).toBe(type !== 'text/html')
  expect(body).toContain('Temporarily unavailable')
  expect(body.includes('Try again in 5 seconds.')).toBe(type !== 'application/problem+json')
})

test.each([
  [415, { 'content-type': 'text/plain' }, 'x', 'It is not what a form sends.'],
  [413, posted, 'a=1234567890', 'It is longer than any form of this site.'],
])('a form that cannot be read is refused by a page: %i', async (status, headers, payload, why) => {
  const answer = await app.inject({ method: 'POST', url: '/f', headers, payload })
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([status, 'no-store'])
  expect(answer.body).toContain('<h1>This form cannot be read</h1>')
  expect(answer.body).toContain(why)
  expect(answer.body).not.toContain('SV-')
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
})
