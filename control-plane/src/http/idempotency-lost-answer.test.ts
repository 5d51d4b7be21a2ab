import { useEach } from '@probe-mesh/infra/testing/use'
import { beforeAll, expect, test } from 'vitest'
import { ownerOf, provider } from '../app/testing/pages.ts'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp({ config: { budgetScale: 100 } })
beforeAll(async () => {
  await at.sql.unsafe(`
    create function lose() returns trigger language plpgsql as $$
      begin if old.carried_out then raise exception 'lost'; end if; return new; end $$;
    create trigger lose before update on idempotency_keys for each row execute function lose();`)
})
/**
 * A control plane stores the answer with the write. If it dies between commit and answer, a repeated request gets the
 * stored answer and creates nothing.
 */
const acme = useEach(() => at.account('scale'))
const owner = useEach(() => ownerOf(at, acme))

const incident = async () => {
  const [statusPageId, checkId] = [await owner.pageId(), await owner.checkId()]
  await owner.post(`/status-pages/${statusPageId}/components`, { checkId })
  return { statusPageId, checkId, title: 'Slow', body: 'We look into it.', region: 'fra' }
}
const inHours = (hours: number) => new Date(at.now() + hours * 3_600_000).toISOString()

test.each<[string, () => Promise<[path: string, body: object]>]>([
  ['a check', async () => ['/checks', { name: 'site', url: 'https://example.org/' }]],
  ['a status page', async () => ['/status-pages', { name: 'shop', slug: 'shop' }]],
  [
    'a component',
    async () => [`/status-pages/${await owner.pageId()}/components`, { checkId: await owner.checkId() }],
  ],
  [
    'a channel',
    async () => [
      '/notification-channels',
      {
        type: 'discord',
        name: 'ops',
        config: { webhookUrl: 'https://discord.example.com/api/webhooks/1/x' },
      },
    ],
  ],
  ['an incident', async () => ['/incidents', await incident()]],
  [
    'an update',
    async () => {
      const { id } = (await owner.post('/incidents', await incident())).json
      return [`/incidents/${id}/updates`, { status: 'identified', body: 'It is the disk.' }]
    },
  ],
  [
    'maintenance',
    async () => [
      '/maintenance',
      {
        statusPageId: await owner.pageId(),
        title: 'Move',
        body: 'We move.',
        startsAt: inHours(1),
        endsAt: inHours(2),
      },
    ],
  ],
])('%s is written once, and a repeated request gets an error', async (_, request) => {
  const [path, body] = await request()
  const send = () =>
    at.call('POST', `/v1${path}`, {
      key: acme.writeKey,
      body,
      headers: { ...provider, 'idempotency-key': 'again' },
    })
  const first = await send()
  expect(first).toMatchObject({ status: 201, json: { id: expect.any(String) } })
  const second = await send()
  expect(second).toMatchObject({ status: 201, text: first.text })
  expect(second.headers['idempotency-replayed']).toBe('true')
})
