import { brotliDecompressSync } from 'node:zlib'
import { answerText } from '@probe-mesh/runtime/answer-text'
import fastify from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeAnswer, sendText } from './encode-answer.ts'

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
  kept.coded.set('br', Promise.reject(new Error('no memory')))
  const answer = await read('/')
  expect(answer).toMatchObject({ statusCode: 200, headers: { etag: `W/${kept.etag}` } })
  expect(answer.headers['content-encoding']).toBeUndefined()
  expect(answer.body).toBe(kept.json)
})
