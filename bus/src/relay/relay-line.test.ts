import { expect, test } from 'vitest'
import { silentLogger } from '../logger.ts'
import { openLine } from './relay-line.ts'

const answering = (status: number, headers: Record<string, string> = {}) =>
  openLine({
    url: 'http://127.0.0.1:9',
    token: () => 'token',
    version: '1',
    log: silentLogger,
    fetch: async () => new Response('{}', { status, headers }),
    random: () => 0.5,
    onOpen: () => {},
    onEvent: () => {},
  })

test.each([
  ['30', 30_000],
  ['999999999', 600_000],
  ['soon', 0],
  ['-5', 0],
])('a refusal with Retry-After: %s asks to wait %i ms, and is no loss', async (value, waitMs) => {
  const line = answering(429, { 'retry-after': value })
  await expect(line.post('/readings', '{}')).rejects.toMatchObject({
    name: 'BusUnavailable',
    waitMs,
  })
  await line.close()
})

test('a response with excessive nesting is not accepted', async () => {
  const line = openLine({
    url: 'http://127.0.0.1:9',
    token: () => 'token',
    version: '1',
    log: silentLogger,
    fetch: async () => new Response('['.repeat(100_000)),
    random: () => 0.5,
    onOpen: () => {},
    onEvent: () => {},
  })
  expect(await line.post('/presence', '{}')).toBeNull()
  await line.close()
})
