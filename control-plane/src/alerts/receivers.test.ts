import { expect, test } from 'vitest'
import { receiversOf, type NamedReceiver } from './receivers.ts'

const channel = (id: string, isFailing = false): NamedReceiver => ({
  id,
  accountId: 'a',
  kind: 'channel',
  isMember: false,
  email: null,
  isFailing,
})
const rule = (more: Partial<Parameters<typeof receiversOf>[0]> = {}) => ({
  channelIds: ['ops'],
  emailUsers: false,
  fallbackChannelId: 'second',
  ...more,
})
const idsOf = (receivers: readonly NamedReceiver[]): string[] => receivers.map(({ id }) => id)

test.each<[string, string[], ReturnType<typeof rule>, NamedReceiver[]]>([
  ['not while every channel works', ['ops'], rule(), [channel('ops'), channel('second')]],
  ['while a channel fails', ['ops', 'second'], rule(), [channel('ops', true), channel('second')]],
  [
    'not while a channel of another rule fails',
    ['ops'],
    rule(),
    [channel('ops'), channel('other', true), channel('second')],
  ],
  [
    'once where the rule names it anyway',
    ['ops', 'second'],
    rule({ channelIds: null }),
    [channel('ops', true), channel('second')],
  ],
  ['not after it was deleted', ['ops'], rule(), [channel('ops', true)]],
  [
    'not where the rule names none',
    ['ops'],
    rule({ fallbackChannelId: null }),
    [channel('ops', true), channel('second')],
  ],
])('the fallback gets messages %s', (_, expected, of, receivers) => {
  expect(idsOf(receiversOf(of, receivers))).toEqual(expected)
})
