import { expect, test } from 'vitest'
import type { DeliveryRecord } from './delivery-record.ts'
import { loginMail } from '../login/request-link.ts'
import { confirmationMail } from '../subscribers/mails.ts'
import { describeDelivery } from './delivery-record.ts'

const url = 'https://mesh.example/act?token=secret'
const mail = (message: object, state: DeliveryRecord['state']): DeliveryRecord =>
  ({
    id: 'one',
    kind: 'mail',
    recipient: 'somebody@example.org',
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
    expect(JSON.stringify(describeDelivery(mail(message, state)))).not.toContain('secret')
  }
  expect(describeDelivery(mail(message, 'kept')).text).toContain(url)
})

test('shows any other mail unchanged', () => {
  const news = { subject: 'News', text: 'It works again.', html: '<p>It works again.</p>' }
  expect(describeDelivery(mail(news, 'delivered'))).toMatchObject({
    kind: 'mail',
    recipient: 'somebody@example.org',
    subject: 'News',
    text: 'It works again.',
  })
})
