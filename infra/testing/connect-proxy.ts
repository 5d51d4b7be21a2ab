import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import { connect, type AddressInfo } from 'node:net'

/** A company's proxy, which leads every host to this machine. */
export type ConnectProxy = {
  readonly port: number
  readonly url: string
  /** What it was asked for, such as `CONNECT host:443`, also what it refused. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

/** @param options.credentials `name:password`; without them it refuses with 407. @param options.refuses a status */
export const startConnectProxy = async (
  options: { credentials?: string; refuses?: number } = {},
): Promise<ConnectProxy> => {
  const asked: string[] = []
  const expected =
    options.credentials === undefined ? null : `Basic ${Buffer.from(options.credentials).toString('base64')}`
  const statusFor = (authorization: string | undefined): number => {
    if (options.refuses !== undefined) return options.refuses
    return expected === null || authorization === expected ? 200 : 407
  }
  const server = createServer((incoming, answer) => {
    const url = new URL(incoming.url ?? '')
    asked.push(`${incoming.method} ${url.origin}`)
    const status = statusFor(incoming.headers['proxy-authorization'])
    if (status !== 200) {
      answer.writeHead(status).end()
      return
    }
    const { method, headers } = incoming
    const path = `${url.pathname}${url.search}`
    const onward = forward({ host: '127.0.0.1', port: url.port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    incoming.pipe(onward)
  })
  server.on('connect', ({ url, headers }, socket, head) => {
    asked.push(`CONNECT ${url}`)
    const status = statusFor(headers['proxy-authorization'])
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    const onward = connect(Number(url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.write(head)
      onward.pipe(socket).pipe(onward)
    })
    for (const each of [onward, socket]) each.on('error', () => undefined)
    onward.on('close', () => socket.destroy())
    socket.on('close', () => onward.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
