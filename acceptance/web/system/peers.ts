import { once } from 'node:events'
import { createServer } from 'node:http'
import net, { type AddressInfo, type Server } from 'node:net'
import { startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { startMailServer, type MailServer } from '@probe-mesh/infra/testing/mail-server'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'

/** Messages that a channel received, unchanged. */
type Received = { path: string; body: string }

/** All servers on this machine that the system measures or sends to. */
export type Peers = {
  /** Always up. */
  steady: Target
  /** Fails when a test sets it. */
  failing: Target
  /** For the catalog: services whose state does not change. */
  broken: Target
  refusing: Target
  /** A page with a title and a text, for Chromium. */
  siteUrl: string
  tcpPort: number
  dnsResolver: string
  mail: MailServer
  receiver: { url: string; received: readonly Received[] }
  close(): Promise<void>
}

export const receiverAnswer = 'taken, thank you'

const portOf = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export const startPeers = async (): Promise<Peers> => {
  const [steady, failing, broken, refusing] = await Promise.all([
    startTarget(),
    startTarget(),
    startTarget(),
    startTarget(),
  ])
  broken.behave('fail', ['fra', 'iad'])
  refusing.behave('challenge')

  const site = createServer((_, response) =>
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end('<!doctype html><html lang="en"><title>Shop</title><h1>Welcome</h1><p>Open.</p></html>'),
  )
  const banner = net.createServer((socket) => {
    // a probe that has read enough resets the connection
    socket.on('error', () => socket.destroy())
    socket.end('220 ready\r\n')
  })
  const received: Received[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ path: request.url ?? '', body })
      response.writeHead(202, { 'content-type': 'text/plain' }).end(receiverAnswer)
    })
  })
  const dns = await startDnsServer(({ id, question, send }) =>
    send({
      id,
      type: 'response',
      questions: [question],
      answers: [{ name: question.name, type: 'A', ttl: 60, data: '192.0.2.7' }],
    }),
  )
  const mail = await startMailServer()
  const [sitePort, tcpPort, receiverPort] = [await portOf(site), await portOf(banner), await portOf(receiver)]
  return {
    steady,
    failing,
    broken,
    refusing,
    siteUrl: `http://127.0.0.1:${sitePort}/`,
    tcpPort,
    dnsResolver: dns.resolver,
    mail,
    receiver: { url: `http://127.0.0.1:${receiverPort}/hooks`, received },
    close: async () => {
      await Promise.all([steady, failing, broken, refusing].map((target) => target.close()))
      for (const server of [site, receiver]) server.close().closeAllConnections()
      banner.close()
      dns.close()
      await mail.close()
    },
  }
}
