import { expect, test } from 'vitest'
import { formatMessage } from './format-message.ts'
import { inZone } from './in-zone.ts'
import type { ChannelMessage } from './message.ts'
import { everyMessage } from '../../../app/testing/messages.ts'

const anInstant = /\d{4}-\d\d-\d\dT\d\d:\d\d/

const message: ChannelMessage = {
  event: 'alert',
  title: 'backup is down',
  text: 'no ping came by 2026-11-28T13:00:00Z and 5 min of grace\nSince 2026-11-28T13:05:00.250Z.',
  facts: [
    { name: 'Since', value: '2026-11-28T13:05:00Z' },
    { name: 'Rule', value: 'all of 2026-11-28' },
  ],
  url: 'https://mesh.example.org/dashboard/checks/1?from=2026-11-28T13:05:00Z',
  at: '2026-11-28T13:06:00.000Z',
  alertKey: 'alert:1:2026-11-28T13:05:00Z',
}

test("texts have times in the reader's zone; machine fields stay, and a fact keeps its instant", () => {
  expect(inZone(message, 'Europe/Berlin')).toEqual({
    ...message,
    text: 'no ping came by 14:00 CET, 28 Nov and 5 min of grace\nSince 14:05 CET, 28 Nov.',
    facts: [
      { name: 'Since', value: '14:05 CET, 28 Nov', at: '2026-11-28T13:05:00.000Z' },
      { name: 'Rule', value: 'all of 2026-11-28' },
    ],
  })
})

test.each([
  'the body has "until": "2026-11-28T13:00:00Z"',
  "got '2026-11-28T13:00:00Z'",
  'v2026-11-28T13:00:00Z',
  '2026-99-28T13:00:00Z',
  '2026-11-28T13:00:00+01:00',
])('what a target answered is not rewritten: %s', (text) => {
  expect(inZone({ ...message, text }, 'Europe/Berlin').text).toBe(text)
})

test('no message that is composed reaches a person with a raw instant in its texts', () => {
  for (const [kind, composed] of Object.entries(everyMessage('shop', 'connection refused'))) {
    const { title, text, facts, at } = inZone(composed, 'America/New_York')
    expect([
      kind,
      ...[title, text, ...facts.map(({ value }) => value)].filter((each) => anInstant.test(each)),
    ]).toEqual([kind])
    expect(at).toBe(composed.at)
  }
})

test('the default JSON form carries the instant of a fact beside its text', () => {
  const channel = { type: 'json', config: { url: 'https://example.org/' } } as const
  const { body } = formatMessage(channel, { id: '1', message: inZone(message, 'UTC'), nowMs: 0 })
  expect(JSON.parse(body)).toMatchObject({
    timestamp: '2026-11-28T13:06:00.000Z',
    data: { facts: [{ value: '13:05 UTC, 28 Nov', at: '2026-11-28T13:05:00.000Z' }, {}] },
  })
})
