import { expect, test } from 'vitest'
import { composeErrorMessage, composeDigest, type NoticeSubject } from './error-message.ts'

const atMs = Date.parse('2026-11-20T12:00:00.000Z')
const by = { ruleName: 'all\nerrors', publicUrl: 'https://mesh.example.org' }
const subject: NoticeSubject = {
  projectId: 'p1',
  projectName: 'shop',
  issue: {
    id: 'i1',
    title: 'TypeError: x\nis undefined',
    culprit: 'render',
    firstSeenMs: atMs - 60_000,
  },
}

test('the message about a new issue has project, release, first seen time and link, one line each', () => {
  expect(
    composeErrorMessage({ kind: 'new_issue' }, subject, { atMs, releases: ['shop@1', 'shop@2'] }, by),
  ).toEqual({
    event: 'alert',
    title: 'New error issue in shop: TypeError: x is undefined',
    text: 'TypeError: x is undefined\nIn render.\nAt 2026-11-20T12:00:00Z.',
    facts: [
      { name: 'Project', value: 'shop' },
      { name: 'Release', value: 'shop@1, shop@2' },
      { name: 'First seen', value: '2026-11-20T11:59:00Z' },
      { name: 'Rule', value: 'all errors' },
    ],
    url: 'https://mesh.example.org/dashboard/errors/p1/issues/i1',
    at: '2026-11-20T12:00:00.000Z',
    alertKey: 'error:i1',
  })
})

test.each([
  [2.04, 'the average of the day before is 2.'],
  [null, 'there is no baseline yet.'],
])('the message about a spike names the count and the baseline: %s', (baseline, text) => {
  const counted = { events: 120, spanMinutes: 60, baseline }
  const of = { ...subject, issue: null }
  const message = composeErrorMessage({ kind: 'spike' }, of, { atMs, counted }, by)
  expect(message.title).toBe('More errors than usual in shop')
  expect(message.text).toContain(`120 events arrived in 60 minutes; ${text}`)
  expect(message.url).toBe('https://mesh.example.org/dashboard/errors/p1')
  const over = composeErrorMessage({ kind: 'spike' }, of, { atMs, lastedMs: 5_400_000 }, by)
  expect(over).toMatchObject({
    event: 'recovery',
    title: 'No more errors than usual in shop, after 1 h 30 min',
    // resolves the alert of the start
    alertKey: message.alertKey,
  })
})

test('a digest counts notices by kind, names the first issues and counts the rest', () => {
  const first = Array.from({ length: 10 }, (_, index) => ({
    kind: 'new_issue' as const,
    projectId: 'p1',
    issueId: `i${index}`,
  }))
  const waiting = { counts: { new_issue: 213, regression: 1 }, first }
  const bound = { hourAtMs: atMs - 3_600_000, told: 10, waiting }
  // a deleted issue is counted without its title
  const message = composeDigest(bound, ({ issueId }) => (issueId === 'i3' ? null : subject), {
    ...by,
    ruleId: 'r1',
    nowMs: atMs,
  })
  expect(message.title).toBe('213 more new error issues, 1 more regression')
  expect(message.text.split('\n')).toHaveLength(1 + 9 + 1)
  expect(message.text).toMatch(/and 204 more$/)
})
