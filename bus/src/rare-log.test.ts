import { expect, test } from 'vitest'
import { silentLogger } from './logger.ts'
import { createRareLog } from './rare-log.ts'

test('logs one line a minute per kind with the count of the others', () => {
  let nowMs = 0
  const lines: [number, object, string][] = []
  const log = {
    ...silentLogger,
    warn: (fields: object, text: string) => lines.push([nowMs, fields, text]),
  }
  const rarely = createRareLog(log, () => nowMs)
  for (; nowMs <= 120_000; nowMs += 500) rarely.warn('one', {}, 'failed')
  rarely.warn('other', {}, 'failed too')
  expect(lines).toEqual([
    [0, {}, 'failed'],
    [60_000, { more: 119 }, 'failed'],
    [120_000, { more: 119 }, 'failed'],
    [120_500, {}, 'failed too'],
  ])
})
