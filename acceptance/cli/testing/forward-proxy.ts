import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { accessSync, constants } from 'node:fs'

/** A forward proxy, as companies have them between their machines and the internet. */
export type ForwardProxy = {
  url: string
  /** The request lines it got, such as `CONNECT host:443`. */
  requests: string[]
  close(): Promise<void>
}

/** Tinyproxy where it is installed, else one of Node. */
export const startForwardProxy = (): Promise<ForwardProxy> =>
  isInstalled('tinyproxy') ? startTinyproxy() : startOwn()

const isInstalled = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const startTinyproxy = async (): Promise<ForwardProxy> => {
  const folder = await mkdtemp(join(tmpdir(), 'tinyproxy-'))
  const port = await freePort()
  const settings = [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'MaxClients 50', 'LogLevel Info']
  await writeFile(join(folder, 'tinyproxy.conf'), `${settings.join('\n')}\n`)
  const child = spawn('tinyproxy', ['-d', '-c', join(folder, 'tinyproxy.conf')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const requests: string[] = []
  const { promise: isReady, resolve } = Promise.withResolvers<void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const asked = /Request \(file descriptor \d+\): (\S+ \S+)/.exec(line)?.[1]
    if (asked !== undefined) requests.push(asked)
    if (line.includes('Accepting connections')) resolve()
  })
  await isReady
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      child.kill()
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const startOwn = async (): Promise<ForwardProxy> => {
  const requests: string[] = []
  const server = createServer((asked, answer) => {
    requests.push(`${asked.method} ${asked.url}`)
    const onward = request(asked.url ?? '', { method: asked.method, headers: asked.headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    asked.pipe(onward)
  })
  server.on('connect', (asked, socket, head) => {
    requests.push(`CONNECT ${asked.url}`)
    const { hostname, port } = new URL(`http://${asked.url}`)
    const onward = connect(Number(port || 80), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.write(head)
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
