import { expect, test } from 'vitest'
import { describeDelivery, type DeliveryRecord } from './delivery-record.ts'
import { loginMail } from '../login/request-link.ts'
import { confirmationMail } from '../subscribers/mails.ts'

const receiver = 'somebody@example.org'
const url = 'https://mesh.example/act?token=secret'
const mail = (message: object, state: DeliveryRecord['state']): DeliveryRecord =>
  ({
    id: 'one',
    kind: 'mail',
    recipient: receiver,
    state,
    attempts: 1,
    createdAtMs: 0,
    nextAttemptAtMs: 0,
    expiresAtMs: 1,
    deliveredAtMs: null,
    lastError: null,
    message,
  }) as DeliveryRecord

const confirmation = confirmationMail({
  pageName: 'A',
  componentName: null,
  locale: 'en',
  confirmUrl: url,
})

test.each([
  ['a confirmation', confirmation],
  ['a login', loginMail(url)],
])('%s is shown only to its receiver, unless it was not sent', (_, message) => {
  for (const state of ['pending', 'delivered', 'dead'] as const) {
    expect(JSON.stringify(describeDelivery(mail(message, state), receiver))).not.toContain('secret')
  }
  expect(describeDelivery(mail(message, 'kept'), receiver).text).toContain(url)
})

test('a login link that was not sent is hidden from other members; a confirmation is not', () => {
  const [login, other] = [loginMail(url), 'other@example.org']
  expect(describeDelivery(mail(login, 'kept'), other).text).not.toContain('secret')
  expect(describeDelivery(mail(login, 'kept'), receiver.toUpperCase()).text).toContain(url)
  expect(describeDelivery(mail(confirmation, 'kept'), other).text).toContain(url)
})

test('shows any other mail unchanged', () => {
  const news = { subject: 'News', text: 'It works again.', html: '<p>It works again.</p>' }
  expect(describeDelivery(mail(news, 'delivered'), receiver)).toMatchObject({
    kind: 'mail',
    recipient: 'somebody@example.org',
    subject: 'News',
    text: 'It works again.',
  })
})
