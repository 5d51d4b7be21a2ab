import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { AddressInfo } from 'node:net'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { listDeliveries, retryDelivery } from './deliveries.ts'
import { createMailer } from './mail/mailer.ts'
import { ok, startReceiver } from './outgoing/testing.ts'
import { createDeliveryBench } from './testing.ts'

let account: string
const at = useOnce(() => createDeliveryBench())
beforeEach(async () => {
  account = await at.account()
})
afterEach(() => at.clear())

const letter = { subject: 'incident', text: 'text', html: '<p>text</p>' }
const context = () => ({ sql: at.accountSql, now: at.now })
const writer = (accountId = account) => ({ accountId, actor: { kind: 'operator' as const } })
const list = async (of = account) => (await listDeliveries(context(), { accountId: of }, {})).deliveries
const retry = async (id: string, of = account) => {
  const answer = await retryDelivery(context(), writer(of), { id })
  return isRefusal(answer) ? answer.refused : answer.state
}

const startServer = async (options: SMTPServerOptions = {}) => {
  const to: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      stream.on('end', () => {
        to.push(...session.envelope.rcptTo.map(({ address }) => address))
        done()
      })
      stream.resume()
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  const from = { name: '', address: 'status@example.org' }
  return { to, mailer: () => createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from }) }
}

test('sends each mail once with several deliverers', async () => {
  const { to, mailer } = await startServer()
  const readers = Array.from({ length: 60 }, (_, n) => `reader${n}@example.com`)
  for (const reader of readers) await at.writeMail(account, reader, letter)
  await Promise.all([at.start({ mailer: mailer() }), at.start({ mailer: mailer() })])
  await at.until(() => expect(to.toSorted()).toEqual(readers.toSorted()))
})

test('fails for an unknown mailbox and retries for a full one', async () => {
  const refusals = [550, 452]
  const { to, mailer } = await startServer({
    onRcptTo: (_address, _session, done) => {
      const responseCode = refusals.shift()
      done(responseCode === undefined ? null : Object.assign(new Error('no'), { responseCode }))
    },
  })
  await at.writeMail(account, 'nobody@example.com', letter)
  await at.start({ mailer: mailer() })
  await at.until(async () => expect(await list()).toMatchObject([{ state: 'dead', attempts: 1 }]))
  await at.writeMail(account, 'full@example.com', letter)
  await at.until(() => expect(to).toEqual(['full@example.com']))
  expect((await list())[0]).toMatchObject({ state: 'delivered', attempts: 2, lastError: null })
})

test('without SMTP_URL stores a mail as not sent, to be sent later', async () => {
  await at.writeMail(account, 'reader@example.com', letter)
  const without = await at.start()
  await at.until(async () => {
    expect(await list()).toMatchObject([
      {
        kind: 'mail',
        recipient: 'reader@example.com',
        state: 'kept',
        message: letter,
        deliveredAtMs: null,
        lastError: 'not sent: SMTP_URL is not set',
      },
    ])
  })
  await without.close()
  const { to, mailer } = await startServer()
  await at.start({ mailer: mailer() })
  const [kept] = await list()
  expect(await retry(kept?.id ?? '')).toBe('pending')
  await vi.waitFor(() => expect(to).toEqual(['reader@example.com']))
})

test('sends only a dead message again, under its id, behind pending ones', async () => {
  const picky = await startReceiver((request, response, count) => {
    if (count === 1) response.writeHead(400).end()
    else ok(request, response)
  })
  onTestFinished(picky.close)
  const channel = await at.channel(account, { type: 'json', config: { url: picky.url } })
  const [first = '', second = ''] = await at.write(account, channel, ['first', 'second'])
  const other = await at.account()
  expect(await retry(first)).toBe('SV-3002')
  await at.start()
  await at.until(() => expect(picky.taken).toEqual([second]))
  expect(await list()).toMatchObject([
    { id: second, state: 'delivered', channelName: 'ops' },
    {
      id: first,
      state: 'dead',
      lastError: 'HTTP 400 the answer is not shown: the address is not public',
      message: { title: 'first' },
    },
  ])
  expect(await retry(second)).toBe('SV-3002')
  expect(await retry(first, other)).toBe('SV-3001')
  expect(await list(other)).toEqual([])
  expect(await retry(first)).toBe('pending')
  await at.until(() => expect(picky.taken).toEqual([second, first]))
  const audits = await at.sql`select action from audit_log where account_id = ${account}`
  expect(audits).toEqual([{ action: 'retryDelivery' }])
})

test('lists messages by page and by state', async () => {
  for (const n of [1, 2, 3]) await at.writeMail(account, `reader${n}@example.com`, letter)
  const page = async (input: Parameters<typeof listDeliveries>[2]) =>
    (await listDeliveries(context(), { accountId: account }, input)).deliveries
  const whole = await page({})
  const [newest, middle] = await page({ limit: 2 })
  expect(whole.slice(0, 2)).toEqual([newest, middle])
  expect(await page({ before: middle?.id ?? '' })).toEqual(whole.slice(2))
  expect(await page({ state: 'dead' })).toEqual([])
  expect(await page({ state: 'pending' })).toEqual(whole)
})
