import { beforeEach, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../app/testing/log-in.ts'
import { newSharedState } from '../public-answers/shared-incident.ts'

let user: TestUser
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeEach(async () => {
  user = await loggedIn(at)
  at.answers.observed.setShared(newSharedState)
})

/** Checks of the user, seen behind a CDN and in a status since some minutes ago. */
const checks = async (cdn: string, status: 'down' | 'operational', ...names: string[]): Promise<string[]> => {
  const ids: string[] = []
  for (const name of names) {
    const made = await asUser(at, user, 'POST', '/checks', { name, url: `https://${name}.example.org/` })
    ids.push(String(made.json.id))
  }
  const since = new Date(at.now() - 180_000)
  await at.sql`
    insert into check_providers (check_id, region, cdn, seen_at)
    select id, 'fra', ${cdn}, ${new Date(at.now())} from unnest(${ids}::uuid[]) as ids (id)`
  await at.sql`
    update check_states set status = ${status}, status_since = ${since} where check_id = any(${ids}::uuid[])`
  return ids
}
const causeOf = async (id: string | undefined) =>
  (await asUser(at, user, 'GET', `/checks/${id ?? ''}/cause`)).json.cause

test('a check that is down names what it has in common with others, and with which', async () => {
  const shops = await checks('fastly', 'down', 'shop-a', 'shop-b', 'shop-c')
  const [other] = await checks('bunny', 'down', 'other')
  const [healthy] = await checks('cloudflare', 'operational', 'docs')
  expect(await causeOf(shops[1])).toMatchObject({
    provider: 'the CDN Fastly',
    text: expect.stringContaining(
      '3 of your 4 checks that began to fail within half an hour are behind the CDN Fastly',
    ),
    checks: shops.map((id) => ({ id })),
    checkCount: 3,
    failingCount: 4,
  })
  expect(await causeOf(other)).toBeNull()
  expect(await causeOf(healthy)).toBeNull()
})

test('a check alone names the CDN that outage answers report as failing', async () => {
  const [shop] = await checks('fastly', 'down', 'shop')
  expect(await causeOf(shop)).toBeNull()
  const atMs = at.now()
  const member = (slug: string) => ({ slug, name: slug, sinceMs: atMs, failedAtMs: atMs, failing: true })
  const incident = {
    factor: { kind: 'cdn' as const, name: 'fastly' },
    sinceMs: atMs,
    members: ['x', 'y', 'z'].map(member),
    peak: 3,
    measuredCount: 9,
    regions: ['fra', 'iad'],
    confidence: 0.9,
    quietSinceMs: null,
  }
  at.answers.observed.setShared({ open: [incident], spent: [] })
  expect((await causeOf(shop)).text).toContain('Our probes of public services see the CDN Fastly failing too')
})

test('checks of other accounts count for nothing and are never named', async () => {
  await checks('fastly', 'down', 'theirs-a', 'theirs-b')
  user = await loggedIn(at)
  const [mine] = await checks('fastly', 'down', 'mine')
  expect(await causeOf(mine)).toBeNull()
  const stranger = await loggedIn(at)
  expect((await asUser(at, stranger, 'GET', `/checks/${mine ?? ''}/cause`)).status).toBe(404)
})
