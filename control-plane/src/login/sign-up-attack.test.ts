import { signUpRules } from '@probe-mesh/contracts/account/login-rules'
import { describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp({
  config: { trustProxy: ['127.0.0.1'], smtpUrl: 'smtp://127.0.0.1:9' },
})

const ask = (email: string, address: string) =>
  at.call('POST', '/dashboard-api/sign-ups', {
    body: { email },
    headers: { 'x-forwarded-for': address },
  })
const mailsTo = async (email: string): Promise<number> =>
  (await at.sql`select from deliveries where recipient = ${email}`).length

describe('sign-ups of one network are limited', () => {
  const [own, around56, around48] = signUpRules
  test.each([
    ['an IPv4 address', () => '203.0.113.1', own],
    ['a /64', (n: number) => `2001:db8:1:1::${n}`, own],
    ['a /56', (n: number) => `2001:db8:2:10${n.toString(16).padStart(2, '0')}::1`, around56],
    ['a /48', (n: number) => `2001:db8:3:${(n << 8).toString(16)}::1`, around48],
  ] as const)('%s', async (what, address, { freeAttempts }) => {
    const email = (n: number) => `${what.replace(/\W/g, '')}-${n}@example.org`
    const asked = Array.from({ length: freeAttempts }, (_, n) => ask(email(n), address(n)))
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ status: 200 })
    expect(await ask(email(freeAttempts), address(freeAttempts))).toMatchObject({
      status: 429,
      json: { code: 'SV-6005' },
    })
    expect(await ask(email(freeAttempts), '198.51.100.77')).toMatchObject({ status: 200 })
  })
})

test('one address gets at most three mails in 15 minutes, with the same answer', async () => {
  at.hold()
  const email = 'flooded@example.org'
  for (let n = 0; n < 8; n++)
    expect(await ask(email, `192.0.2.${n}`)).toMatchObject({
      status: 200,
      text: '{"requested":true}',
    })
  expect(await mailsTo(email)).toBe(3)
  at.pass(15 * 60_000)
  await ask(email, '192.0.2.100')
  expect(await mailsTo(email)).toBe(4)
})
