import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { redactAnswer } from './redact.ts'
import { summaryOf } from './sealed-config.ts'

/** All words of a summary of the channels below, except the secret. */
const said =
  'apiKey apiUrl webhookUrl topicUrl url accessToken token user form slack ntfy gotify pushover template contentType headers x-key signed yes secret https://hooks.example.com/'
const windowsOf = (secret: string): string[] =>
  Array.from({ length: secret.length - 4 }, (_, at) => secret.slice(at, at + 5))
const isSaid = (part: string): boolean => said.includes(part)

const secrets = fc
  .string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEF0123456789_-'),
    minLength: 16,
  })
  .filter((secret) => !windowsOf(secret).some(isSaid))

const configs: fc.Arbitrary<{ channel: ChannelConfig; secret: string }> = secrets.chain((secret) => {
  const url = `https://hooks.example.com/${secret}`
  const query = `https://hooks.example.com/v1?sig=${secret}`
  return fc.constantFrom<{ channel: ChannelConfig; secret: string }>(
    { channel: { type: 'discord', config: { webhookUrl: url } }, secret },
    { channel: { type: 'teams', config: { webhookUrl: query } }, secret },
    { channel: { type: 'opsgenie', config: { apiKey: secret, apiUrl: url } }, secret },
    { channel: { type: 'json', config: { url, secret } }, secret },
    { channel: { type: 'json', config: { form: 'slack', webhookUrl: url } }, secret },
    { channel: { type: 'json', config: { form: 'ntfy', topicUrl: url, accessToken: secret } }, secret },
    { channel: { type: 'json', config: { form: 'gotify', url, token: secret } }, secret },
    {
      channel: { type: 'json', config: { form: 'pushover', apiUrl: url, token: secret, user: secret } },
      secret,
    },
    {
      channel: {
        type: 'json',
        config: {
          form: 'template',
          url,
          contentType: 'json',
          body: `{"key": "${secret}"}`,
          headers: `X-Key: ${secret}`,
        },
      },
      secret,
    },
  )
})

test('a summary shows the host and at most four characters of a credential', () => {
  forAll([configs], ({ channel, secret }) => {
    const text = JSON.stringify(summaryOf(channel))
    expect(text).toContain('hooks.example.com')
    for (const window of windowsOf(secret)) expect(text).not.toContain(window)
  })
})

test.each<[ChannelConfig, object]>([
  [
    { type: 'discord', config: { webhookUrl: 'https://discord.com/api/webhooks/12/abcdefghijkl' } },
    { webhookUrl: 'https://discord.com/…ijkl' },
  ],
  [
    { type: 'teams', config: { webhookUrl: 'https://x.example.org:8443/w?sig=abcdefgh' } },
    { webhookUrl: 'https://x.example.org:8443/…efgh' },
  ],
  [{ type: 'opsgenie', config: { apiKey: 'abcdefgh-ijkl' } }, { apiKey: '…ijkl' }],
  [{ type: 'opsgenie', config: { apiKey: 'short' } }, { apiKey: '…' }],
  [
    { type: 'json', config: { url: 'https://example.org/' } },
    { url: 'https://example.org/', signed: 'no' },
  ],
  [
    { type: 'json', config: { url: 'https://example.org/a', secret: 'abcdefghijklmnop' } },
    { url: 'https://example.org/…', signed: 'yes', secret: '…mnop' },
  ],
  [
    { type: 'json', config: { form: 'default', url: 'https://example.org/' } },
    { url: 'https://example.org/', signed: 'no' },
  ],
  [
    { type: 'json', config: { form: 'telegram', botToken: '123456:abcdefghijkl', chatId: '-1001' } },
    { form: 'telegram', chatId: '-1001', botToken: '…ijkl' },
  ],
  [
    {
      type: 'json',
      config: {
        form: 'template',
        url: 'https://example.org/abcdefghijkl',
        contentType: 'json',
        body: '{"key": "abcdefghijkl"}',
        headers: 'Authorization: Bearer abcdefghijkl\nX-Team: ops',
      },
    },
    {
      form: 'template',
      contentType: 'json',
      url: 'https://example.org/…ijkl',
      headers: 'authorization, x-team',
    },
  ],
])('%j is shown as %j', (channel, summary) => {
  expect(summaryOf(channel)).toEqual(summary)
})

test('redacts the credential in an answer, whole or cut off anywhere', () => {
  forAll([configs, fc.nat(400), fc.boolean()], ({ channel, secret }, length, cut) => {
    const answer = `no: ${secret} ${secret}${secret}`.repeat(10)
    const text = cut ? answer.slice(0, length) : answer
    expect(redactAnswer(text, channel, { charactersMax: 10_000, cut })).not.toContain(secret.slice(0, 16))
  })
})

test('shows an answer as one bounded line without control characters', () => {
  const channel: ChannelConfig = { type: 'opsgenie', config: { apiKey: 'none of it' } }
  const shown = redactAnswer('a\u0000b\r\n\u001b[31mc\u2028d\u202e', channel, {
    charactersMax: 9,
    cut: false,
  })
  expect(shown).toBe('a b [31mc')
})
