import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createMailer, type Mailer } from './mailer.ts'

const startServer = async (options: SMTPServerOptions = {}, login = '') => {
  const mails: { to: string[]; raw: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString()
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw })
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const mailer = createMailer({
    smtpUrl: `smtp://${login}127.0.0.1:${port}`,
    from: { name: 'Status, of Acme', address: 'status@example.org' },
  })
  onTestFinished(async () => {
    mailer.close()
    await new Promise<void>((resolve) => server.close(resolve))
  })
  return { mailer, mails }
}

const id = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const message = { subject: 'Ünavailable', text: 'plain', html: '<p>rich</p>' }
const send = (
  { mailer }: { mailer: Mailer },
  mail: Partial<Parameters<Mailer['send']>[0]> = {},
  signal = AbortSignal.timeout(20_000),
) => mailer.send({ id, recipient: 'reader@example.com', message, ...mail }, signal)

const failing = (responseCode: number): Error => Object.assign(new Error('no'), { responseCode })

test('sends a mail with the headers that mailboxes expect', async () => {
  const server = await startServer()
  const unsubscribeUrl = 'https://mesh.example.org/unsubscribe?token=a%20b'
  expect(await send(server, { message: { ...message, unsubscribeUrl } })).toMatchObject({
    ok: true,
  })
  const mail = await PostalMime.parse(server.mails[0]?.raw ?? '')
  const headers = new Map(mail.headers.map(({ key, value }) => [key, value]))
  expect(mail).toMatchObject({
    from: { name: 'Status, of Acme', address: 'status@example.org' },
    subject: 'Ünavailable',
    messageId: `<${id}@example.org>`,
  })
  expect(mail.text?.trim()).toBe('plain')
  expect(headers.get('auto-submitted')).toBe('auto-generated')
  expect(headers.get('list-unsubscribe')).toBe(`<${unsubscribeUrl}>`)
  expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
})

test('keeps the Message-ID when a mail is sent again', async () => {
  const server = await startServer()
  await send(server)
  await send(server)
  const ids = await Promise.all(server.mails.map(({ raw }) => PostalMime.parse(raw)))
  expect(ids.map(({ messageId }) => messageId)).toEqual(Array(2).fill(`<${id}@example.org>`))
})

test('allows no header in a subject and no recipient in a name', async () => {
  const server = await startServer()
  const subject = 'down\r\nBcc: thief@example.net\r\n\r\nbody\u2028x'
  await send(server, { message: { ...message, subject } })
  const [mail] = server.mails
  expect(mail?.to).toEqual(['reader@example.com'])
  const parsed = await PostalMime.parse(mail?.raw ?? '')
  expect(parsed.subject).toBe('down Bcc: thief@example.net body x')
  expect(parsed.bcc ?? []).toEqual([])
})

test.each([
  'a@example.com, b@example.com',
  'a@example.com\r\nRCPT TO:<b@example.com>',
  'Name <a@example.com>',
  'a@b@example.com',
  '@example.com',
  'group: a@example.com;',
  '',
])('%j is no address of one mailbox: given up, and nothing is connected to', async (recipient) => {
  const server = await startServer()
  expect(await send(server, { recipient })).toMatchObject({ ok: false, next: 'fail' })
  expect(server.mails).toEqual([])
})

test.each([
  ['recipient', 550, 'fail'],
  ['recipient', 450, 'retry'],
  ['message', 554, 'fail'],
  ['message', 451, 'retry'],
  ['connection', 554, 'retry'],
  ['connection', 421, 'retry'],
] as const)('a %s refused with %i: %s', async (what, code, next) => {
  const refusing: SMTPServerOptions = {
    recipient: {
      onRcptTo: (_to: unknown, _session: unknown, done: (e: Error) => void) => done(failing(code)),
    },
    message: {
      onData: (stream: NodeJS.ReadableStream, _session: unknown, done: (e: Error) => void) => {
        stream.on('end', () => done(failing(code))).resume()
      },
    },
    connection: { onConnect: (_session: unknown, done: (e: Error) => void) => done(failing(code)) },
  }[what] as SMTPServerOptions
  expect(await send(await startServer(refusing))).toMatchObject({ ok: false, next })
})

test('retries a mail when the login is refused', async () => {
  const { mailer } = await startServer(
    {
      authOptional: false,
      onAuth: (_auth, _session, done) => done(failing(535)),
    },
    'user:password@',
  )
  expect(await send({ mailer })).toMatchObject({ ok: false, next: 'retry', kind: 'refused' })
})

test('retries when the server is unreachable', async () => {
  const mailer = createMailer({
    smtpUrl: 'smtp://127.0.0.1:1',
    from: { name: '', address: 'a@example.org' },
  })
  onTestFinished(() => mailer.close())
  expect(await send({ mailer })).toMatchObject({ ok: false, next: 'retry', kind: 'network' })
})

test('abandons a hanging server at the timeout', async () => {
  const server = await startServer({ onRcptTo: () => {} })
  expect(await send(server, {}, AbortSignal.timeout(300))).toMatchObject({
    ok: false,
    next: 'retry',
    kind: 'timeout',
  })
})
