import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { ChannelMessage } from './message.ts'
import { formatMessage } from './format-message.ts'
import { severityOf } from './severity.ts'
import { everyMessage, hostileText } from '../../../app/testing/messages.ts'
import { shownTexts, stepOf, vendorProblems, type Vendor, type VendorForm } from './testing/vendor.ts'
import { vendors } from './testing/vendors.ts'

const origin = 'https://vendor.example.org'
const forms = Object.keys(vendors) as VendorForm[]

const sent = (form: VendorForm, message: ChannelMessage) => {
  const config = vendors[form].config(origin)
  const made = formatMessage({ type: 'json', config }, { id: 'delivery-1', message, nowMs: Date.now() })
  const { pathname, search } = new URL(made.url)
  return { ...made, path: `${pathname}${search}` }
}
const problemsOf = (form: VendorForm, message: ChannelMessage): string[] =>
  vendorProblems(vendors[form] as Vendor, sent(form, message), stepOf(message))

const longest = 'm'.repeat(200)
const messages = {
  ordinary: everyMessage('shop', 'No answer within 10 s.'),
  longest: everyMessage(longest, `${longest} `.repeat(20)),
  hostile: everyMessage(hostileText, hostileText),
}

const of = (kind: string): ChannelMessage => {
  const message = messages.ordinary[kind]
  if (message === undefined) throw new Error(`there is no message ${kind}`)
  return message
}
const fire = of('fire')

describe.each(forms)('%s', (form) => {
  test.each(Object.entries(messages))('every kind of message with %s texts is as documented', (_, kinds) => {
    const problems = Object.entries(kinds).map(([kind, message]) => [kind, problemsOf(form, message)])
    expect(problems).toEqual(Object.keys(kinds).map((kind) => [kind, []]))
  })

  test('shows hostile names and reasons as they are: no markup, link or mention', () => {
    for (const message of Object.values(messages.hostile)) {
      const texts = shownTexts(vendors[form] as Vendor, sent(form, message).body)
      // the longest start of the title that every limit leaves whole
      expect(texts.join('\n').replace(/\s+/g, ' ')).toContain(message.title.slice(0, 100))
    }
  })

  test.each(['a', '&', '"', '*', 'ü', '😀', '\u0001', '\n', ' ', ''])(
    'keeps endless texts of %j within the limits, and empty ones valid',
    (unit) => {
      const text = unit.repeat(20_000)
      const facts = Array.from({ length: 30 }, () => ({ name: text, value: text }))
      for (const event of [
        'alert',
        'reminder',
        'digest',
        'acknowledged',
        'resolved',
        'recovery',
        'test',
      ] as const) {
        const message = { ...fire, event, title: `t${text}`, text, facts, alertKey: `k${unit.repeat(600)}` }
        expect([unit, event, problemsOf(form, message)]).toEqual([unit, event, []])
      }
    },
  )

  test('keeps any text within the limits', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 8_000 })
    const facts = fc.array(fc.record({ name: text, value: text }), { maxLength: 30 })
    const title = text.map((start) => `t${start}`)
    forAll([fc.record({ title, text, facts })], { numRuns: 25 }, (any) => {
      expect(problemsOf(form, { ...fire, ...any })).toEqual([])
    })
  })

  test('a reminder and a recovery carry the same key as their alert, also one beyond the limit', () => {
    for (const alertKey of ['alert:c:1', `expiry:domain:${'d'.repeat(600)}`]) {
      const keys = ['fire', 'remind', 'acknowledge', 'resolve'].map((kind) =>
        keyIn(form, { ...of(kind), alertKey }),
      )
      expect(new Set(keys).size).toBe(1)
    }
  })

  test('links to the check', () => {
    expect(sent(form, fire).body).toContain('https://mesh.example.org/dashboard/checks/')
  })
})

/** The key by which a vendor recognises the alert; null: it has none. */
const keyIn = (form: VendorForm, message: ChannelMessage): unknown => {
  const { body, path } = sent(form, message)
  const json = JSON.parse(body)
  if (form === 'pagerduty') return json.dedup_key
  if (form === 'google_chat') return json.thread.threadKey
  if (form !== 'jsm') return null
  return json.alias ?? decodeURIComponent(/alerts\/([^/]+)\/(?:close|acknowledge)/.exec(path)?.[1] ?? '')
}

test('a check that is down is critical, alone and in a digest; a recovery is not', () => {
  const severities = Object.entries(messages.ordinary).map(([kind, message]) => [kind, severityOf(message)])
  expect(Object.fromEntries(severities)).toMatchObject({
    fire: 'critical',
    remind: 'critical',
    digest: 'critical',
    heartbeat: 'critical',
    acknowledge: 'info',
    'end of messages': 'info',
    resolve: 'ok',
    'certificate expires': 'warning',
    'certificate renewed': 'ok',
    'error issue': 'warning',
    test: 'info',
  })
})
