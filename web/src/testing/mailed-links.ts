import type { TestWeb } from './test-web.ts'

const links = /(?<=http:\/\/127\.0\.0\.1:8080)\/(login\/link|subscriptions\/(confirm|unsubscribe))[\w?=/-]+/g

/**
 * The unused links in all mail so far; requests a login link and a confirmation link first.
 * @param of.slug of a status page, for a new subscription
 */
export const mailedLinks = async (
  { at }: TestWeb,
  of: { email: string; slug: string },
): Promise<string[]> => {
  await at.call('POST', '/dashboard-api/login-links', { body: { email: of.email } })
  const body = { email: 'new@example.org' }
  await at.call('POST', `/status/${of.slug}/subscribers`, { body })
  const mails = await at.sql<{ text: string }[]>`
    select message ->> 'text' as text from deliveries where kind = 'mail'`
  return [...new Set(mails.flatMap(({ text }) => text.match(links) ?? []))]
}
