import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A mail server that keeps the mail it receives. */
export type MailServer = {
  readonly port: number
  readonly smtpUrl: string
  /** The mail by mailbox, oldest first. */
  mailboxes(): Promise<Map<string, Email[]>>
  close(): Promise<void>
}

/** @param at the port, for a restart on the same one */
export const startMailServer = async (at = 0): Promise<MailServer> => {
  const received: { recipients: string[]; bytes: Buffer }[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, session, done) => {
      const recipients = session.envelope.rcptTo.map(({ address }) => address)
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received.push({ recipients, bytes: Buffer.concat(chunks) })
        done()
      })
    },
  })
  // a client killed while it sends a mail resets its connection
  server.on('error', () => undefined)
  server.listen(at, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    smtpUrl: `smtp://127.0.0.1:${port}`,
    mailboxes: async () => {
      const boxes = new Map<string, Email[]>()
      for (const { recipients, bytes } of received) {
        const mail = await PostalMime.parse(bytes)
        for (const address of recipients) boxes.set(address, [...(boxes.get(address) ?? []), mail])
      }
      return boxes
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
