import { startMailServer } from '@probe-mesh/infra/testing/mail-server'
import pino from 'pino'
import type { Email } from 'postal-mime'
import { Registry } from 'prom-client'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startAlerter } from './alerter.ts'
import { alertScenario } from './testing.ts'
import { startDeliverer } from '../../notifications/deliverer.ts'
import { createMailer } from '../../notifications/mail/mailer.ts'
import { createUnsubscribeTokens } from '../../accounts/link-tokens.ts'
import { testKey, type Answer, useTestApp } from '../testing/test-app.ts'
import { asUser, cookieOf } from '../testing/log-in.ts'

const publicUrl = 'http://127.0.0.1:8080'
const everything: { close(): Promise<unknown> | unknown }[] = []

const mail = useOnce(() => startMailServer())
const at = useTestApp(() => ({ config: { smtpUrl: mail.smtpUrl } }))
const game = useOnce(() => alertScenario(at.systemSql))
beforeAll(async () => {
  const shared = { sql: at.systemSql, log: pino({ level: 'silent' }), registry: new Registry(), now: at.now }
  const tokens = createUnsubscribeTokens(testKey)
  const mailer = createMailer({ smtpUrl: mail.smtpUrl, from: { name: '', address: 'alerts@example.org' } })
  const channelSender = { send: () => Promise.reject(new Error('no channel here')) } as never
  everything.push(
    await startAlerter({ ...shared, publicUrl, tokens }),
    await startDeliverer({ ...shared, publicUrl, channelSender, mailer, random: Math.random }),
  )
})
afterAll(async () => {
  await Promise.all(everything.map((each) => each.close()))
})

const mailsTo = async (address: string, subject: RegExp): Promise<Email[]> =>
  ((await mail.mailboxes()).get(address) ?? []).filter((each) => subject.test(each.subject ?? ''))

const mailTo = (address: string, subject: RegExp): Promise<Email> =>
  vi.waitFor(
    async () => {
      const [found] = await mailsTo(address, subject)
      if (found === undefined) throw new Error(`no mail to ${address}`)
      return found
    },
    { interval: 50 },
  )

const linkIn = ({ text }: Email, path: RegExp): string => path.exec(text ?? '')?.[1] ?? ''

type Call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => Promise<Answer>

/** Signs up by the mailed link. @returns calls of the new member's pages */
const signUp = async (email: string): Promise<Call> => {
  const requested = await at.call('POST', '/dashboard-api/sign-ups', { body: { email } })
  expect(requested.status).toBe(200)
  const token = linkIn(await mailTo(email, /^Create your/), /\/signup\/confirm\?token=([\w-]+)/)
  const body = { token, accountName: 'Acme', password: 'violet kettle orbit cactus' }
  const cookie = cookieOf(await at.call('POST', '/dashboard-api/sign-ups/confirm', { body }))
  return (method, path, sent) => asUser(at, { cookie }, method, path, sent)
}

const createCheck = async (call: Call, name: string): Promise<string> => {
  const url = 'http://127.0.0.1:9/'
  const made = await call('POST', '/checks', { name, url, intervalSeconds: 300 })
  expect(made).toMatchObject({ status: 201 })
  return made.json.id
}

const fail = async (checkId: string): Promise<void> => {
  game.clock.nowMs = at.now()
  await game.flip([checkId], 'down')
}

test('from sign-up to a mail about an outage, a new user only creates the check', async () => {
  const call = await signUp('ada@example.org')
  const checkId = await createCheck(call, 'shop')
  const told = await call('GET', `/checks/${checkId}/receivers`)
  expect(told.json).toMatchObject({
    receivers: [{ kind: 'member', name: 'ada@example.org', notReached: null }],
  })
  expect((await call('GET', '/overview')).json.attention).toEqual([])
  await fail(checkId)
  const alert = await mailTo('ada@example.org', /^shop is down$/)
  expect(alert.text).toContain('connection refused')
  expect(alert.text).toContain(`${publicUrl}/dashboard/checks/${checkId}`)
})

test('an outside address gets alerts from its confirmation until it unsubscribes by a mail program', async () => {
  const call = await signUp('bob@example.org')
  const [first, second, third] = [
    await createCheck(call, 'one'),
    await createCheck(call, 'two'),
    await createCheck(call, 'three'),
  ]
  const made = await call('POST', '/alert-rules', { name: 'ops', addresses: ['ops@example.net'] })
  expect(made).toMatchObject({ status: 201, json: { addresses: ['ops@example.net'] } })
  const asked = await mailTo('ops@example.net', /^Confirm alerts by mail$/)
  await fail(first)
  await mailTo('bob@example.org', /^one is down$/)
  const token = linkIn(asked, /\/alert-mails\/confirm\?token=([\w-]{43})\n/)
  const link = (method: 'GET' | 'POST', what: string, sent: string): Promise<Answer> =>
    method === 'GET'
      ? at.call('GET', `/alert-mails/${what}.json?token=${sent}`)
      : at.call('POST', `/alert-mails/${what}.json`, { body: { token: sent } })
  const to = { accountName: 'Acme', email: 'ops@example.net' }
  expect((await link('GET', 'confirm', token)).json).toEqual(to)
  expect((await call('GET', '/alert-rules')).json.addresses).toMatchObject([{ state: 'waiting' }])
  expect((await link('POST', 'confirm', token)).json).toEqual(to)
  await fail(second)
  const alert = await mailTo('ops@example.net', /^two is down$/)
  const headers = new Map(alert.headers.map(({ key, value }) => [key, value]))
  expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const end = /^<http:\/\/127\.0\.0\.1:8080\/alert-mails\/unsubscribe\/([\w-]{64})>$/.exec(
    headers.get('list-unsubscribe') ?? '',
  )?.[1]
  expect(alert.text).toContain(`/alert-mails/unsubscribe/${end}`)
  // bob gets mail by both rules, and each mail once
  await mailTo('bob@example.org', /^two is down$/)
  expect((await link('GET', 'unsubscribe', end ?? '')).json).toEqual({ to })
  expect((await link('POST', 'unsubscribe', end ?? '')).json).toEqual({ unsubscribed: true })
  expect((await link('GET', 'unsubscribe', end ?? '')).json).toEqual({ to: null })
  expect((await link('POST', 'confirm', token)).status).toBe(404)
  await fail(third)
  await mailTo('bob@example.org', /^three is down$/)
  const subjects = ((await mail.mailboxes()).get('ops@example.net') ?? []).map(({ subject }) => subject)
  expect(subjects).toEqual(['Confirm alerts by mail', 'two is down'])
  expect(await mailsTo('bob@example.org', /is down$/)).toHaveLength(3)
})
