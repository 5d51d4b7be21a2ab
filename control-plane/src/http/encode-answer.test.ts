import { brotliDecompressSync } from 'node:zlib'
import { answerText } from '@probe-mesh/runtime/answer-text'
import fastify from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeAnswer, sendKept, sendText } from './encode-answer.ts'

const kept = answerText(JSON.stringify({ answer: 'x'.repeat(2_000) }))
const refusal = JSON.stringify({ refused: 'y'.repeat(2_000) })

const serve = () => {
  const app = fastify()
  app.decorateReply('answerText', null)
  app.decorateRequest('gatewayClient', null)
  let isBroken = false
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.url !== '/broken' || isBroken) return done(null, payload)
    isBroken = true
    done(new Error('a hook failed'))
  })
  app.setErrorHandler((_error, _request, reply) => reply.code(500).type('application/json').send(refusal))
  for (const url of ['/', '/broken'])
    app.get(url, { onSend: encodeAnswer }, (_request, reply) => sendText(reply, kept))
  app.get('/kept', { onSend: encodeAnswer }, (_request, reply) => sendKept(reply, kept))
  return app
}
let app: ReturnType<typeof serve>
beforeEach(() => {
  app = serve()
})
afterEach(() => app.close())
const read = (url: string) => app.inject({ method: 'GET', url, headers: { 'accept-encoding': 'br' } })
const textOf = ({ headers, rawPayload }: Awaited<ReturnType<typeof read>>) =>
  headers['content-encoding'] === 'br' ? brotliDecompressSync(rawPayload).toString() : rawPayload.toString()

test('a refusal after a kept answer has its own body', async () => {
  expect(textOf(await read('/'))).toBe(kept.json)
  const refused = await read('/broken')
  expect([refused.statusCode, textOf(refused)]).toEqual([500, refusal])
})

test('an answer that cannot be compressed is sent as it is', async () => {
  kept.coded = { bytes: new Map(), compressing: new Map([['br', Promise.reject(new Error('no memory'))]]) }
  const answer = await read('/')
  expect(answer).toMatchObject({ statusCode: 200, headers: { etag: `W/${kept.etag}` } })
  expect(answer.headers['content-encoding']).toBeUndefined()
  expect(answer.body).toBe(kept.json)
})

const asked: [string, { method?: 'GET' | 'HEAD'; headers?: Record<string, string> }][] = [
  ['without a coding', {}],
  ['with a coding that we do not have', { headers: { 'accept-encoding': 'zstd' } }],
  ['in brotli', { headers: { 'accept-encoding': 'br, gzip;q=0.5' } }],
  ['in gzip', { headers: { 'accept-encoding': 'gzip' } }],
  ['by who has it', { headers: { 'if-none-match': `W/${kept.etag}` } }],
  ['by who has another one', { headers: { 'if-none-match': '"another"', 'accept-encoding': 'br' } }],
  ['by HEAD', { method: 'HEAD' }],
]

test.each(asked)(
  'a kept answer that is sent at once equals the one of the hooks: asked %s',
  async (_, how) => {
    kept.coded = null
    const ask = async (url: string) => {
      const { statusCode, headers, rawPayload } = await app.inject({ method: 'GET', url, ...how })
      const fields = Object.entries(headers).filter(([name]) => name !== 'date')
      return { statusCode, fields, bytes: rawPayload.toString('base64') }
    }
    const byHooks = await ask('/')
    expect([await ask('/kept'), await ask('/kept')]).toEqual([byHooks, byHooks])
  },
)

test('a kept answer is sent at once, and to a gateway by the hooks', async () => {
  const sentBy = async (gatewayClient: string | null): Promise<string[]> => {
    const own = serve()
    const by: string[] = []
    own.addHook('onRequest', (request, _reply, done) => {
      request.gatewayClient = gatewayClient
      done()
    })
    own.addHook('onSend', (_request, _reply, payload, done) => {
      by.push('hooks')
      done(null, payload)
    })
    own.get('/at-once', { onSend: encodeAnswer }, (_request, reply) => sendKept(reply, kept))
    expect((await own.inject('/at-once')).body).toBe(kept.json)
    await own.close()
    return by
  }
  expect([await sentBy(null), await sentBy('192.0.2.1')]).toEqual([[], ['hooks']])
})
