import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { hostile, publisherOf } from '../../testing/publisher.ts'
import { useTestWeb } from '../../testing/test-web.ts'
import { subscriptionsText } from './subscriptions-text.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })
const owner = useOnce(() => publisherOf(web))

test.each([
  [0, 0, 'none yet'],
  [1, 0, '1 confirmed'],
  [0, 2, '0 confirmed, 2 waiting for confirmation'],
])('%i confirmed and %i not are "%s"', (confirmed, unconfirmed, text) => {
  expect(subscriptionsText({ confirmed, unconfirmed })).toBe(text)
})

test('a page without subscribers says so', async () => {
  const { text } = await (await web.member()).get('/dashboard/subscribers')
  expect(text).toContain('No subscribers yet')
})

test('subscribers are listed with their subject and confirmation, and counted', async () => {
  const somebody = await publisherOf(web)
  const componentId = await somebody.component(hostile)
  await somebody.subscriber('one@example.org')
  await somebody.subscriber(`${hostile}@example.org`, { componentId, isConfirmed: false })
  const { text } = await somebody.get('/dashboard/subscribers')
  expect(text).toContain('<dt>Confirmed</dt><dd>1</dd>')
  expect(text).toContain('<dt>Pending</dt><dd>1</dd>')
  const row = (words: string) => text.split('<tr>').find((each) => each.includes(words))
  expect(row('one@example.org')).toContain(', the whole page')
  expect(row('one@example.org')).toContain('>Confirmed</strong>')
  expect(row('&lt;/script&gt;@example.org')).toContain('>Pending</strong>')
  expect(row('&lt;/script&gt;@example.org')).toContain(':<bdi>&quot;&gt;&lt;script&gt;')
  expect(text).not.toContain('<script>')
  expect(text).not.toContain('>Older<')
})

test('a long list is paged without omissions, also for one page', async () => {
  const somebody = await publisherOf(web)
  for (let n = 0; n < 101; n++) {
    await somebody.subscriber(`reader-${n}@example.org`)
    web.at.pass(1)
  }
  const first = await somebody.get(`/dashboard/subscribers?page=${somebody.pageId}`)
  const next = /href="([^"]+)">Older</.exec(first.text)?.[1]?.replaceAll('&amp;', '&')
  const second = await somebody.get(String(next))
  const addresses = [first, second].map(({ text }) => text.match(/<bdi>reader-\d+@/g) ?? [])
  expect(addresses.map(({ length }) => length)).toEqual([100, 1])
  expect(new Set(addresses.flat()).size).toBe(101)
  expect(second.text).not.toContain('>Older<')
})

test('a subscriber is removed after a confirmation page', async () => {
  const id = await owner.subscriber(`${hostile}@gone.example`)
  const path = `/dashboard/subscribers/${id}/remove`
  const asked = await owner.get(path)
  expect(asked.text).toContain('gets no more mail')
  expect(asked.text).not.toContain('<script>')
  expect(await owner.post(path)).toMatchObject({ status: 303, to: '/dashboard/subscribers' })
  expect((await owner.get('/dashboard/subscribers')).text).not.toContain('gone.example')
  expect(await owner.get(path)).toMatchObject({ status: 404 })
})

test("another account's subscribers are not found", async () => {
  const id = await owner.subscriber('mine@example.org')
  const stranger = await web.member()
  const path = `/dashboard/subscribers/${id}/remove`
  expect(await stranger.get(path)).toMatchObject({ status: 404 })
  expect(await stranger.post(path)).toMatchObject({ status: 404 })
  for (const query of ['', `?page=${owner.pageId}`, '?page=none']) {
    const { text } = await stranger.get(`/dashboard/subscribers${query}`)
    expect(text).not.toContain('mine@example.org')
  }
  expect((await owner.get('/dashboard/subscribers')).text).toContain('mine@example.org')
})
