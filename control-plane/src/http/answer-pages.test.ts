import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { answersOf } from '../answers/testing.ts'
import type { TestAnswers } from '../answers/testing.ts'
import { bindAnswerPages } from './answer-pages.ts'
import { createKeylessBudget } from './keyless-budget.ts'
import { refusalOfError } from './refusal-of-error.ts'
import { sendRefusal } from './send-refusal.ts'

const open: FastifyInstance[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()))
})

/** The pages alone, on answers in memory. */
const startPages = (
  more: Partial<TestAnswers> = {},
  perMinute = 10_000,
): { app: FastifyInstance; context: TestAnswers } => {
  const context = answersOf({ regions: ['fra', 'iad'], ...more })
  const app = fastify({ exposeHeadRoutes: true, routerOptions: { maxParamLength: 16_384 } })
  app.setErrorHandler((error, _request, reply) => sendRefusal(reply, refusalOfError(error).refusal))
  const budget = createKeylessBudget({ now: context.now, perMinute })
  bindAnswerPages(app, { context, budget })
  open.push(app)
  return { app, context }
}

const everyPath = ['/weather', '/internet']

describe('every page that answers cite', () => {
  test.each(everyPath)(
    '%s is a page of its own, without script, cookie or third party',
    async (path) => {
      const { app } = startPages()
      const { statusCode, headers, body } = await app.inject({ url: path })
      expect(statusCode).toBe(200)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      )
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'public, max-age=5',
      })
      expect(headers['set-cookie']).toBeUndefined()
      expect(body).toMatch(/^<!doctype html>/)
      expect(body).toContain(`<link rel="canonical" href="http://127.0.0.1:8080${path}">`)
    },
  )

  test.each(everyPath)('%s says no data where nothing was measured', async (path) => {
    const { app } = startPages()
    const { body } = await app.inject({ url: path })
    expect(body).toContain('>no data</strong>')
    expect(body).not.toMatch(/class="tag (good|bad)"/)
  })

  test.each(['/weather', '/nowhere'])('HEAD %s has no text', async (path) => {
    const { app } = startPages()
    const head = await app.inject({ method: 'HEAD', url: path })
    const get = await app.inject({ url: path })
    expect([head.statusCode, head.body]).toEqual([get.statusCode, ''])
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
  })
})

test('pages spend one budget of the address, and what is refused is a page', async () => {
  const { app } = startPages({}, 3)
  for (const path of ['/internet', '/nowhere-here', '/internet', '/weather']) {
    await app.inject({ url: path })
  }
  const refused = await app.inject({ url: '/weather' })
  expect(refused.statusCode).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(refused.headers['cache-control']).toBe('no-store')
  expect(refused.body).toContain(`Try again in ${refused.headers['retry-after']} seconds.`)
  expect((await app.inject({ url: '/weather', remoteAddress: '192.0.2.9' })).statusCode).toBe(200)
})
