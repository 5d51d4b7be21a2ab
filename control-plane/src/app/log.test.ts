import { inWork } from '@probe-mesh/runtime/loop-watch'
import { hostname } from 'node:os'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from './log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = () => {
  const texts: string[] = []
  const log = createLog('info', 'agent', { write: (text) => void texts.push(text) })
  return { log, texts, lines: () => texts.map((text) => JSON.parse(text) as Record<string, unknown>) }
}

test('each line names its program, host and process', () => {
  const { log, lines } = open()
  log.info({ a: 1 }, 'hello')
  expect(lines()).toMatchObject([
    { program: 'agent', host: hostname(), pid: process.pid, a: 1, msg: 'hello' },
  ])
})

test('a line belongs to the request whose work wrote it, and only to that', () => {
  const { log, lines } = open()
  inWork({ kind: 'request', what: 'GET /', owner: null, requestId: 'r1' }, () => log.info({}, 'in'))
  inWork({ kind: 'request', what: 'GET /', owner: null, requestId: 'r1' }, () =>
    log.info({ requestId: 'r2' }, 'own'),
  )
  log.info({}, 'out')
  expect(lines().map(({ requestId }) => requestId)).toEqual(['r1', 'r2', undefined])
})

test('no key stands twice in a line', () => {
  const { log, texts, lines } = open()
  const part = log.child({ component: 'control-plane', region: 'fra' })
  part.info({ component: 'assignments', region: 'fra', agent: 'a' }, 'x')
  expect(texts[0]?.match(/"component":/g)).toHaveLength(1)
  expect(texts[0]?.match(/"region":/g)).toHaveLength(1)
  expect(lines()[0]).toMatchObject({ component: 'control-plane', line_component: 'assignments', agent: 'a' })
})

test('a fault that repeats is one line, and then one with the count, without the stack', () => {
  const { log, lines } = open()
  const fail = (partition: number) =>
    log.error({ err: Object.assign(new Error('away'), { code: 'GONE' }), partition }, 'cannot read; retrying')
  for (let n = 0; n < 350; n++) fail(n % 16)
  log.error({ err: new Error('other') }, 'another fault')
  expect(lines()).toHaveLength(2)
  vi.advanceTimersByTime(30_000)
  expect(lines()[2]).toMatchObject({
    msg: 'cannot read; retrying',
    repeated: 349,
    withinSeconds: 30,
    error: 'away',
  })
  expect(lines()[2]).not.toHaveProperty('err')
  // it ends, and a later one is new
  vi.advanceTimersByTime(60_000)
  fail(1)
  expect(lines()).toHaveLength(4)
  expect(lines()[3]).toHaveProperty('err')
})

test('faults of two accounts are two lines, and ordinary lines are never held back', () => {
  const { log, lines } = open()
  for (const accountId of ['a', 'b', 'a']) log.warn({ accountId }, 'a push failed')
  for (let n = 0; n < 3; n++) log.info({}, 'a request')
  expect(lines()).toHaveLength(5)
})
