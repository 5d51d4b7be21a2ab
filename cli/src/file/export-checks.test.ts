import type { Check, CheckType } from '@probe-mesh/contracts/check/check'
import { expect, test } from 'vitest'
import { checkOf as httpCheckOf } from '../plan/testing.ts'
import { exportChecks } from './export-checks.ts'

const checkOf = (name: string, type: CheckType, more: Partial<Check> = {}): Check =>
  httpCheckOf(name, { type, regions: ['iad', 'fra'], allRegions: false, ...more })

test('exports a check on all live regions without regions', () => {
  const exported = exportChecks([checkOf('a', 'http'), checkOf('b', 'http', { allRegions: true })])
  expect(exported).toMatchObject({ ok: true, checks: [{ regions: ['iad', 'fra'] }, { name: 'b' }] })
  expect(exported.ok && exported.checks[1]).not.toHaveProperty('regions')
})

test('names the checks that a file cannot declare, and what it cannot carry of its own', () => {
  const exported = exportChecks([checkOf('a', 'tcp'), checkOf('b', 'http'), checkOf('c', 'dns')])
  expect(exported).toMatchObject({ ok: true, checks: [{ name: 'b' }] })
  expect(exported.ok && exported.comments.slice(1)).toEqual([
    '  tcp: a',
    '  dns: c',
    expect.stringContaining('kept when this file is applied'),
  ])
  const none = exportChecks([checkOf('a', 'tcp')])
  expect(none.ok && none.comments).toHaveLength(2)
})

test('names for each check what a file cannot carry', () => {
  const all = {
    hasRequest: true,
    tags: ['eu'],
    timeoutSeconds: 9,
    refusedAs: 'blocked',
    paused: true,
  } as const
  const exported = exportChecks([
    checkOf('a', 'http'),
    checkOf('b', 'http', { hasRequest: true }),
    checkOf('c', 'http', { ...all, tags: ['eu'] }),
  ])
  expect(exported.ok && exported.comments.slice(1)).toEqual([
    'Not in this file, and kept when it is applied to these checks:',
    '  b: its request (method, headers, body, credentials, limits, how it connects)',
    expect.stringMatching(
      /^ {2}c: its request .*, its tags, its timeout, what a refusal means, that it is paused$/,
    ),
  ])
  expect(exported.ok && exported.checks[1]).not.toHaveProperty('hasRequest')
})

test.each<[string, Check[], number]>([
  ['two http checks', [checkOf('a', 'http'), checkOf('a', 'http')], 1],
  ['an http and a tcp check', [checkOf('a', 'http'), checkOf('a', 'tcp')], 1],
  ['two tcp checks', [checkOf('a', 'tcp'), checkOf('a', 'tcp')], 0],
  ['two names twice', ['a', 'b', 'a', 'b'].map((name) => checkOf(name, 'http')), 2],
])('refuses to export %s that share a name: %#', (_, account, problems) => {
  const exported = exportChecks(account)
  expect(exported.ok ? 0 : exported.problems.length).toBe(problems)
})
