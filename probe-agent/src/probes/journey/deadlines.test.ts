import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { stopTime } from '../../testing/stop-time.ts'
import { drip } from '@probe-mesh/check-types/tcp/probe/testing/peer'
import { ok, run, saying, step } from './testing/journey.ts'

describe('deadlines', () => {
  const movedTo = (path: string): string =>
    `HTTP/1.1 302 Found\r\nLocation: ${path}\r\nContent-Length: 0\r\n\r\n`

  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n'
  test.each<[string, (next: () => void) => (socket: Socket) => void, string, string]>([
    ['says nothing', (next) => next, 'response_timeout', 'no response within 5 s'],
    [
      'drips its body',
      (next) => drip('a', head, next),
      'body_timeout',
      'the response was not complete within 5 s',
    ],
  ])('end a step whose server %s', async (_, answer, cause, reason) => {
    const { at } = await saying({ '/cart': answer(stopTime().next) })
    const steps = [step({ url: at('/') }), step({ name: 'cart', url: at('/cart') })]
    expect(await run(steps, { requestMsMax: 5_000 })).toMatchObject({
      verdict: 'down',
      fault: 'target',
      cause,
      reason: `Step 2 (cart): ${reason}`,
    })
  })

  test('apply to each request and each hop', async () => {
    const { next } = stopTime()
    const later = (text: string) => (socket: Socket) => {
      setTimeout(() => socket.end(text), 500)
      void next()
    }
    const { at } = await saying({
      '/3': later(movedTo('/2')),
      '/2': later(movedTo('/1')),
      '/1': later(movedTo('/0')),
      '/0': later(ok),
    })
    const journey = await run([step({ url: at('/3') })], { requestMsMax: 1_900 })
    expect(journey).toMatchObject({ verdict: 'up' })
    expect(journey.trace.latencyMs).toBeGreaterThan(1_900)
  })

  test('apply to a hop after others', async () => {
    const { at } = await saying({ '/a': movedTo('/b'), '/b': stopTime().next })
    const steps = [step({ name: 'cart', url: at('/a') })]
    expect(await run(steps, { requestMsMax: 1_000 })).toMatchObject({
      cause: 'response_timeout',
      reason: 'Step 1 (cart): no response within 1 s',
    })
  })

  test('of the whole journey end the current step', async () => {
    const whole = new AbortController()
    const over = (): void => whole.abort(new DOMException('too long', 'TimeoutError'))
    const { at } = await saying({ '/pay': over })
    const steps = [step({ url: at('/') }), step({ name: 'pay', url: at('/pay') })]
    const bounds = { deadlineMs: 45_000, requestMsMax: 40_000, signal: whole.signal }
    expect(await run(steps, bounds)).toMatchObject({
      verdict: 'down',
      fault: 'target',
      cause: 'journey_timeout',
      reason: 'Step 2 (pay): the journey took longer than 45 s',
    })
  })

  test('during a query to the probe’s own resolver do not blame the target', async () => {
    const never = new Promise<never>(() => undefined)
    const resolver = { resolve4: () => never, resolve6: () => never }
    const pay = [step({ name: 'pay', url: 'http://pay.example.com/' })]
    expect(await run(pay, { resolver, deadlineMs: 100 })).toMatchObject({
      verdict: 'unmeasured',
      cause: 'dns_unreachable',
      reason:
        'Step 1 (pay): the journey took longer than 100 ms; it was waiting for the resolver of the probe',
    })
    expect(await run(pay, { resolver, requestMsMax: 100 })).toMatchObject({
      verdict: 'unmeasured',
      cause: 'dns_unreachable',
      reason: 'Step 1 (pay): no answer from the resolver of the probe within 100 ms',
    })
  })

  test('are not the target’s when the agent stops', async () => {
    const stop = new AbortController()
    const { at } = await saying({ '/a': () => stop.abort(new Error('closing')) })
    expect(await run([step({ name: 'a', url: at('/a') })], { signal: stop.signal })).toMatchObject({
      verdict: 'unmeasured',
      cause: 'probe_stopped',
      reason: 'Step 1 (a): the probe was stopped during the run',
    })
  })

  test('leave no connection behind', async () => {
    const { next } = stopTime()
    const closed = Promise.withResolvers<void>()
    const silent = (socket: Socket): void => {
      socket.on('close', closed.resolve)
      void next()
    }
    const { at } = await saying({ '/a': silent })
    await run([step({ url: at('/a') })])
    await closed.promise
  })
})
