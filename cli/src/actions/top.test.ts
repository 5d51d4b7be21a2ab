import { EventEmitter } from 'node:events'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { beforeAll, expect, test, vi } from 'vitest'
import { testContext } from '../terminal/testing.ts'
import type { Terminal } from '../top/show-top.ts'
import { topOn } from './top.ts'

/** A state is awaited, however slow the machine is. */
const until = <T>(condition: () => T): Promise<T> => vi.waitFor(condition)

let apiUrl: string
const at = useTestApp()
beforeAll(async () => {
  apiUrl = `${await at.app.listen({ port: 0, host: '127.0.0.1' })}/v1`
})

const terminalOf = (input: boolean, output: boolean): Terminal =>
  ({
    stdin: Object.assign(new EventEmitter(), { isTTY: input }),
    stdout: Object.assign(new EventEmitter(), { isTTY: output }),
  }) as unknown as Terminal
const options = (apiKey: string, json = false) => ({
  apiUrl,
  apiKey,
  json,
  noColor: false,
  sort: undefined,
})

test.each([
  ['keys come from a pipe', terminalOf(false, true), 'xterm'],
  ['the screen is a pipe', terminalOf(true, false), 'xterm'],
  ['the terminal is dumb', terminalOf(true, true), 'dumb'],
])('names the alternative and exits 1 when %s', async (_, terminal, TERM) => {
  const context = testContext({ environment: { TERM } })
  expect(await topOn(terminal)(context, options('no key'), [])).toBe(1)
  expect(context.written.err).toContain('probe-mesh status --watch')
  expect(context.written.out).toBe('')
})

test('--json needs no terminal: a snapshot after the connection, then events, a line each', async () => {
  const account = await at.account('scale')
  const { status, json } = await at.call('POST', '/v1/checks', {
    key: account.writeKey,
    body: { name: 'web', url: 'http://127.0.0.1:9/', intervalSeconds: 60 },
  })
  expect(status).toBe(201)
  const context = testContext({ fetch })
  const ended = topOn(terminalOf(false, false))(context, options(account.readKey, true), [])
  const lines = () =>
    context.written.out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  await until(() => expect(lines()).toHaveLength(2))
  at.bus.events.publish('flip', {
    kind: 'flip',
    accountId: account.id,
    flip: {
      id: 'flip',
      accountId: account.id,
      checkId: json.id,
      checkName: 'web',
      from: 'unknown',
      to: 'down',
      reason: 'no answer',
      at: new Date().toISOString(),
    },
  })
  await until(() => expect(lines()).toHaveLength(3))
  expect(lines()).toMatchObject([
    { version: 1, kind: 'connection', state: 'connected' },
    { version: 1, kind: 'snapshot', checks: [{ name: 'web', status: 'unknown' }] },
    { version: 1, kind: 'flip', flip: { to: 'down' } },
  ])
  context.interrupt()
  expect(await ended).toBe(0)
})

test('ends with the code of the refusal when the key is refused', async () => {
  const free = await at.account('free')
  const context = testContext({ fetch })
  expect(await topOn(terminalOf(false, false))(context, options(free.readKey, true), [])).toBe(1)
  expect(context.written.out).toContain('SV-1003')
})
