import { expect, test } from 'vitest'
import { createOwnFaultNotice } from './own-fault-notice.ts'

test('an operator is told once that the probe cannot see, and once that it can again', () => {
  const lines: string[] = []
  const notice = createOwnFaultNotice({
    warn: (_, message) => lines.push(`warn ${message}`),
    info: (_, message) => lines.push(`info ${message}`),
  })
  notice.onNetwork(true)
  notice.onResolver(true)
  expect(lines).toEqual([])
  notice.onResolver(false)
  notice.onNetwork(false)
  notice.onResolver(false)
  notice.onResolver(true)
  expect(lines).toEqual([
    'warn the resolver of the probe does not answer for control names: failures are not counted against targets until it does again',
  ])
  notice.onNetwork(true)
  notice.onNetwork(false)
  expect(lines.slice(1)).toEqual([
    'info the probe resolves and reaches its canaries again',
    'warn the probe does not resolve or reach any canary: failures are not counted against targets until it does again',
  ])
})
