import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import type { ChannelMessage } from './message.ts'
import { formatMessage } from './format-message.ts'

const message: ChannelMessage = {
  event: 'alert',
  title: 'shop is down in fra',
  text: 'Since 12:00 UTC. No answer within 10 s.',
  facts: [{ name: 'Region', value: 'fra' }],
  url: 'https://mesh.example.org/checks/1',
  at: '2026-03-01T12:00:00.000Z',
  alertKey: 'check-1/fra down?',
}
const id = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const form = (channel: ChannelConfig, of: Partial<ChannelMessage> = {}) => {
  const made = formatMessage(channel, { id, message: { ...message, ...of }, nowMs: Date.now() })
  return { ...made, json: JSON.parse(made.body) }
}
const discord: ChannelConfig = {
  type: 'discord',
  config: { webhookUrl: 'https://d.example.org/w' },
}
const teams: ChannelConfig = { type: 'teams', config: { webhookUrl: 'https://t.example.org/w' } }
const opsgenie: ChannelConfig = { type: 'opsgenie', config: { apiKey: 'the-key' } }
const json: ChannelConfig = { type: 'json', config: { url: 'https://j.example.org/w' } }
const all = [discord, teams, opsgenie, json]

test.each(all)('$type: every attempt carries the id of the delivery', (channel) => {
  expect(form(channel).headers).toMatchObject({
    'webhook-id': id,
    'content-type': 'application/json',
  })
})

test.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'sixteen letters, ünïcode too'])(
  'json: a receiver verifies the signature with the secret %s and with no other',
  (secret) => {
    const made = form({ type: 'json', config: { ...json.config, secret } as never })
    const receiver = secret.startsWith('whsec_')
      ? new Webhook(secret)
      : new Webhook(Buffer.from(secret), { format: 'raw' })
    expect(receiver.verify(made.body, { ...made.headers })).toMatchObject({
      type: 'alert',
      timestamp: message.at,
      data: { title: message.title, alertKey: message.alertKey, facts: message.facts },
    })
    expect(() => receiver.verify(`${made.body} `, { ...made.headers })).toThrow()
    const other = new Webhook(Buffer.from('another secret of the tests'), { format: 'raw' })
    expect(() => other.verify(made.body, { ...made.headers })).toThrow()
  },
)

test('json: without a secret there is no signature header', () => {
  expect(form(json).headers).not.toHaveProperty('webhook-signature')
})

test.each([{}, { form: 'default' as const }])(
  'json: the body of the config %j is ours, byte for byte',
  (more) => {
    const made = form({ type: 'json', config: { ...json.config, ...more } as never })
    expect(made.body).toBe(
      '{"type":"alert","timestamp":"2026-03-01T12:00:00.000Z","data":{"title":"shop is down in fra","text":"Since 12:00 UTC. No answer within 10 s.","facts":[{"name":"Region","value":"fra"}],"url":"https://mesh.example.org/checks/1","alertKey":"check-1/fra down?"}}',
    )
    expect(Object.keys(made.headers)).toEqual(['content-type', 'webhook-id', 'webhook-timestamp'])
  },
)

test.each(['alert', 'reminder', 'digest', 'test'] as const)(
  'opsgenie: %s opens an alert with alertKey as its alias',
  (event) => {
    const made = form(opsgenie, { event })
    expect(made.url).toBe('https://api.opsgenie.com/v2/alerts')
    expect(made.headers).toMatchObject({ authorization: 'GenieKey the-key' })
    expect(made.json).toMatchObject({ alias: message.alertKey, message: message.title })
  },
)

test('opsgenie: a recovery closes the alert of the same alias', () => {
  expect(form(opsgenie, { event: 'recovery' }).url).toBe(
    'https://api.opsgenie.com/v2/alerts/check-1%2Ffra%20down%3F/close?identifierType=alias',
  )
})

test.each([
  ['https://api.eu.opsgenie.com', 'https://api.eu.opsgenie.com/v2/alerts'],
  ['https://proxy.example.org/og/', 'https://proxy.example.org/og/v2/alerts'],
])('opsgenie: apiUrl %s is called at %s', (apiUrl, url) => {
  expect(form({ type: 'opsgenie', config: { apiKey: 'k', apiUrl } }).url).toBe(url)
})

test('discord: names are shown literally and mention no one', () => {
  const made = form(discord, { title: '@everyone [click](https://evil.example.org) **x**' })
  expect(made.json.allowed_mentions).toEqual({ parse: [] })
  expect(made.json.embeds[0].title).toBe('@everyone \\[click\\]\\(https://evil.example.org\\) \\*\\*x\\*\\*')
})

test('teams: the card is in the envelope that a workflow accepts', () => {
  const [attachment] = form(teams).json.attachments
  expect(attachment.contentType).toBe('application/vnd.microsoft.card.adaptive')
  expect(attachment.content).toMatchObject({
    type: 'AdaptiveCard',
    actions: [{ type: 'Action.OpenUrl', url: message.url }],
  })
})

test('keeps long messages within the limits of every receiver', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12_000 })
  const facts = fc.array(fc.record({ name: text, value: text }), { maxLength: 30 })
  forAll([fc.record({ title: text, text, facts, alertKey: text })], { numRuns: 50 }, (long) => {
    const [embed] = form(discord, long).json.embeds
    const fields: { name: string; value: string }[] = embed.fields
    expect(embed.title.length).toBeLessThanOrEqual(256)
    const parts = [embed.title, embed.description, ...fields.flatMap((f) => [f.name, f.value])]
    expect(parts.join('').length).toBeLessThanOrEqual(6_000)
    expect(Buffer.byteLength(form(teams, long).body)).toBeLessThanOrEqual(28 * 1024)
    const alert = form(opsgenie, long).json
    expect(alert.message.length).toBeLessThanOrEqual(130)
    expect(alert.alias.length).toBeLessThanOrEqual(512)
    expect(alert.description.length).toBeLessThanOrEqual(15_000)
  })
})
