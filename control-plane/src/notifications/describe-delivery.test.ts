import { expect, test } from 'vitest'
import type { DeliveryRecord } from './delivery-record.ts'
import { loginMail } from '../login/request-link.ts'
import { confirmationMail } from '../subscribers/confirmation-mail.ts'
import { describeDelivery } from './describe-delivery.ts'

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

const confirmation = confirmationMail({ pageName: 'A', componentName: null, confirmUrl: url })

test.each([
  ['a confirmation', confirmation],
  ['a login', loginMail(url)],
])('%s is shown to nobody but its receiver, unless it was kept', (_, message) => {
  for (const state of ['pending', 'delivered', 'dead'] as const) {
    expect(JSON.stringify(describeDelivery(mail(message, state)))).not.toContain('secret')
  }
  expect(describeDelivery(mail(message, 'kept')).text).toContain(url)
})

test('any other mail is shown as it is', () => {
  const news = { subject: 'News', text: 'It works again.', html: '<p>It works again.</p>' }
  expect(describeDelivery(mail(news, 'delivered'))).toMatchObject({
    kind: 'mail',
    recipient: 'somebody@example.org',
    subject: 'News',
    text: 'It works again.',
  })
})
