import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { ServerResponse } from 'node:http'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { defaultRule } from '../alerts/alert-rule.ts'
import { insertAlertRule } from '../alerts/alert-rules-store.ts'
import { ok, startReceiver, type Receiver } from './outgoing/testing.ts'
import { createDeliveryBench } from './testing.ts'

let account: string
const at = useOnce(() => createDeliveryBench())
beforeEach(async () => {
  account = await at.account()
  const email = `ada.${account}@example.org`
  await at.sql`
    insert into users (id, account_id, email, password_hash, created_at)
    values (${uuidv7(at.now())}, ${account}, ${email}, 'none', now())`
})
afterEach(() => at.clear())

type Answer = { code: number }
/** Answers with the code of the moment. */
const receiver = async (answer: Answer): Promise<Receiver> => {
  const started = await startReceiver((request, response: ServerResponse) =>
    answer.code === 200 ? ok(request, response) : void response.writeHead(answer.code).end('no such hook'),
  )
  onTestFinished(started.close)
  return started
}
const channelTo = ({ url }: Receiver) => at.channel(account, { type: 'json', config: { url } })
const stateOf = async (id: string) => {
  const [row] = await at.sql<{ failing: boolean; detail: string | null }[]>`
    select failing_since is not null as failing, failing_detail as detail
    from notification_channels where id = ${id}`
  return row
}
const mails = () => at.sql<{ subject: string; text: string; recipient: string }[]>`
  select message ->> 'subject' as subject, message ->> 'text' as text, recipient from deliveries
  where kind = 'mail' and account_id = ${account} order by sequence`

test('a channel whose receiver refuses a message is marked, and its members are told once a day', async () => {
  const answer = { code: 404 }
  const to = await receiver(answer)
  const id = await channelTo(to)
  await at.start()
  await at.write(account, id, ['one', 'two'])
  await at.until(async () => expect((await mails()).length).toBe(1))
  await at.until(async () => expect(to.received).toHaveLength(2))
  expect(await stateOf(id)).toEqual({ failing: true, detail: expect.stringMatching(/^HTTP 404 /) })
  const [mail] = await mails()
  expect(mail).toMatchObject({
    subject: 'Alerts to ops do not arrive',
    recipient: `ada.${account}@example.org`,
    text: expect.stringContaining(`https://probe.example.org/dashboard/channels/${id}`),
  })

  answer.code = 200
  await at.write(account, id, ['three'])
  await at.until(async () => expect(await stateOf(id)).toEqual({ failing: false, detail: null }))
  answer.code = 404
  await at.write(account, id, ['four'])
  await at.until(async () => expect(await stateOf(id)).toMatchObject({ failing: true }))
  expect(await mails()).toHaveLength(1)

  answer.code = 200
  await at.write(account, id, ['five'])
  await at.until(async () => expect(await stateOf(id)).toMatchObject({ failing: false }))
  await at.pass(86_400_000)
  answer.code = 410
  await at.write(account, id, ['six'])
  await at.until(async () => expect(await mails()).toHaveLength(2))
})

test('a receiver that cannot be reached is failing at the fifth attempt, one that asks for fewer messages never', async () => {
  const answer = { code: 500 }
  const to = await receiver(answer)
  const id = await channelTo(to)
  await at.write(account, id, ['one'])
  await at.start()
  const attempts = (count: number) =>
    at.until(async () => {
      await at.pass(60_000)
      expect(to.received.length).toBeGreaterThanOrEqual(count)
    })
  await attempts(4)
  if (to.received.length === 4) expect(await stateOf(id)).toMatchObject({ failing: false })
  await attempts(5)
  await at.until(async () =>
    expect(await stateOf(id)).toMatchObject({ failing: true, detail: expect.stringMatching(/^HTTP 500 /) }),
  )

  answer.code = 429
  const busy = await receiver(answer)
  const other = await channelTo(busy)
  await at.write(account, other, ['one'])
  await at.until(async () => {
    await at.pass(20 * 60_000)
    expect(busy.received.length).toBeGreaterThan(6)
  })
  expect(await stateOf(other)).toMatchObject({ failing: false })
})

const alert = (checkId: string, channelId: string) => ({
  accountId: account,
  kind: 'channel' as const,
  channelId,
  cause: `alert:${checkId}:flip:alert:${channelId}`,
  expiresAtMs: at.now() + 3_600_000,
})

test('what a channel did not take goes to the fallback of the rules that sent it, once', async () => {
  const dead = await channelTo(await receiver({ code: 410 }))
  const second = await receiver({ code: 200 })
  const fallback = await channelTo(second)
  const check = uuidv7(at.now())
  const named = { channelIds: [dead], checkIds: [check], fallbackChannelId: fallback }
  await insertAlertRule(at.sql, { ...defaultRule(account, at.now()), ...named })
  await at.start()
  await at.writeDrafts([
    { ...alert(check, dead), message: at.message('of the rule') },
    { ...alert(uuidv7(at.now()), dead), message: at.message('of another check') },
  ])
  await at.until(() => expect(second.received).toHaveLength(1))
  expect(JSON.stringify(second.received)).toContain('of the rule')
  await at.until(async () => expect((await stateOf(dead))?.failing).toBe(true))
  expect(second.received).toHaveLength(1)
})
