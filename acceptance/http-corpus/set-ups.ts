import { once } from 'node:events'
import http from 'node:http'
import http2, { type ServerHttp2Stream } from 'node:http2'
import net from 'node:net'
import tls from 'node:tls'
import { gzipSync } from 'node:zlib'
import type { Certificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { ok, type Case } from './cases/case.ts'
import { intermediate } from './testing/intermediate.ts'

/** A case with its own server and host name. */
type SetUp = Omit<Case, 'answer'> & {
  /** @param host resolves to 127.0.0.1 */
  start(host: string, certificates: Certificates): Promise<Started>
}
type Started = { url: string; close(): void }
export type SetUpClass = { name: string; setUps: readonly SetUp[] }

const listening = async (server: net.Server, on = '127.0.0.1'): Promise<{ port: number; close(): void }> => {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, on)
  await once(server, 'listening')
  return {
    port: portOf(server),
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const overTls = (options: tls.TlsOptions): net.Server =>
  tls
    .createServer(options, (socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', () => socket.end(ok))
    })
    .on('tlsClientError', () => undefined)

type MakeOptions = (host: string, certificates: Certificates) => tls.TlsOptions

const secured = (name: string, rule: string, options: MakeOptions, requested?: string): SetUp => ({
  name,
  rule,
  start: async (host, certificates) => {
    const { port, close } = await listening(overTls(options(host, certificates)))
    return { url: `https://${requested ?? host}:${port}/`, close }
  },
})

const past = { from: '20260701000000Z', to: '20260702000000Z' }
const future = { from: '20990701000000Z', to: '20990702000000Z' }

const chainRule = 'RFC 8446 4.4.2: a server sends its chain; browsers fetch missing certificates by AIA'
const nameRule = 'RFC 9525 6: a certificate names the host among its alternative names'
const dateRule = 'RFC 5280 4.1.2.5: a certificate is valid between two dates'
const issuerRule = 'RFC 5280 6: a chain ends at a trusted authority'
const own: MakeOptions = (host, certificates) => certificates.leaf(host)

const missingWithAia: SetUp = {
  name: 'no intermediate, with AIA',
  rule: chainRule,
  start: async (host, certificates) => {
    let der = Buffer.alloc(0)
    const store = http.createServer((_, response) => {
      response.setHeader('content-type', 'application/pkix-cert')
      response.end(der)
    })
    const issuers = await listening(store)
    const made = intermediate(host, certificates, `http://${host}:${issuers.port}/middle.der`)
    ;({ der } = made)
    const { port, close } = await listening(overTls({ key: made.key, cert: made.leaf }))
    return {
      url: `https://${host}:${port}/`,
      close: () => {
        close()
        issuers.close()
      },
    }
  },
}

const certificates: SetUpClass = {
  name: 'certificates',
  setUps: [
    secured('right', nameRule, own),
    secured('a wildcard', nameRule, (host, { leaf }) =>
      leaf('other', null, `DNS:*.${host.split('.').slice(1).join('.')}`),
    ),
    secured('the second of its names', nameRule, (host, { leaf }) =>
      leaf('other', null, `DNS:other.example.net,DNS:${host}`),
    ),
    secured('capitals in its name', nameRule, (host, { leaf }) =>
      leaf('other', null, `DNS:${host.toUpperCase()}`),
    ),
    secured('for another host', nameRule, (_, { leaf }) => leaf('other.example.net')),
    secured('a wildcard one level too high', nameRule, (_, { leaf }) => leaf('other', null, 'DNS:*.com')),
    secured('the name only as common name', nameRule, (host, { leaf }) => leaf(host, null, '')),
    secured('an address, requested by it', nameRule, (_, { leaf }) => leaf('127.0.0.1'), '127.0.0.1'),
    secured(
      'another address, requested by address',
      nameRule,
      (_, { leaf }) => leaf('127.0.0.2'),
      '127.0.0.1',
    ),
    secured('expired', dateRule, (host, { leaf }) => leaf(host, past)),
    secured('not valid yet', dateRule, (host, { leaf }) => leaf(host, future)),
    secured('self-signed', issuerRule, (host, { selfSigned }) => selfSigned(host)),
    secured('with its intermediate', chainRule, (host, all) => {
      const { key, leaf, middle } = intermediate(host, all, null)
      return { key, cert: leaf + middle }
    }),
    secured('with its intermediate, and the root', chainRule, (host, all) => {
      const { key, leaf, middle } = intermediate(host, all, null)
      return { key, cert: leaf + middle + all.ca }
    }),
    secured('no intermediate', chainRule, (host, all) => {
      const { key, leaf } = intermediate(host, all, null)
      return { key, cert: leaf }
    }),
    missingWithAia,
  ],
}

const versionRule = 'RFC 8996: TLS 1.0 and 1.1 are not used'
const versions =
  (minVersion: tls.SecureVersion, maxVersion: tls.SecureVersion): MakeOptions =>
  (host, all) => ({ ...all.leaf(host), minVersion, maxVersion, ciphers: 'ALL:@SECLEVEL=0' })
const plain = (name: string, play: (socket: net.Socket) => void): SetUp => ({
  name,
  rule: 'RFC 8446 4.1.3: a server answers a hello',
  start: async (host) => {
    const { port, close } = await listening(net.createServer(play))
    return { url: `https://${host}:${port}/`, close }
  },
})

const handshakes: SetUpClass = {
  name: 'TLS',
  setUps: [
    secured('only 1.2', versionRule, versions('TLSv1.2', 'TLSv1.2')),
    secured('only 1.3', versionRule, versions('TLSv1.3', 'TLSv1.3')),
    secured('only 1.1', versionRule, versions('TLSv1.1', 'TLSv1.1')),
    secured('only 1.0', versionRule, versions('TLSv1', 'TLSv1')),
    secured('ALPN of HTTP/1.1', 'RFC 7301', (host, all) => ({
      ...own(host, all),
      ALPNProtocols: ['http/1.1'],
    })),
    secured('ALPN of another protocol', 'RFC 7301', (host, all) => ({
      ...own(host, all),
      ALPNProtocols: ['pigeon'],
    })),
    secured('a client certificate is requested', 'RFC 8446 4.3.2', (host, all) => ({
      ...own(host, all),
      requestCert: true,
      rejectUnauthorized: false,
    })),
    plain('plain HTTP', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    plain('a close at once', (socket) => void socket.once('data', () => socket.destroy())),
    plain('a reset at once', (socket) => void socket.once('data', () => socket.resetAndDestroy())),
    plain('another protocol', (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')),
    plain(
      'an alert',
      (socket) => void socket.once('data', () => socket.end(Buffer.from('15030300020228', 'hex'))),
    ),
  ],
}

type Streams = (stream: ServerHttp2Stream, path: string) => void
const alone = (name: string, rule: string, play: Streams, more: http2.SecureServerOptions = {}): SetUp => ({
  name,
  rule,
  start: async (host, all) => {
    const server = http2.createSecureServer({ ...all.leaf(host), ...more })
    server.on('sessionError', () => undefined)
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined)
      play(stream, String(headers[':path']))
    })
    if (more.allowHTTP1 === true) {
      server.on('request', (request, response) => {
        if (request.httpVersionMajor === 1) response.end('ok')
      })
    }
    const { port, close } = await listening(server as unknown as net.Server)
    return { url: `https://${host}:${port}/`, close }
  },
})
const h2 = 'RFC 9113: HTTP/2, agreed on by ALPN'
const saying =
  (status: number, headers: object = {}, body: string | Buffer = 'ok'): Streams =>
  (stream) => {
    stream.respond({ ':status': status, ...headers })
    stream.end(body)
  }

const http2Alone: SetUpClass = {
  name: 'only HTTP/2',
  setUps: [
    alone('200', h2, saying(200)),
    alone('404', h2, saying(404)),
    alone('503', h2, saying(503)),
    alone('204', h2, (stream) => stream.respond({ ':status': 204 }, { endStream: true })),
    alone(
      'gzip',
      h2,
      saying(200, { 'content-encoding': 'gzip', 'content-type': 'text/html' }, gzipSync('<p>ok')),
    ),
    alone('a header of 20 KiB', h2, saying(200, { 'x-a': 'v'.repeat(20_480) })),
    alone('300 KiB', h2, saying(200, {}, 'x'.repeat(307_200))),
    alone('a redirect', h2, (stream, path) =>
      path === '/end'
        ? saying(200)(stream, path)
        : stream.respond({ ':status': 302, location: '/end' }, { endStream: true }),
    ),
    alone('103 first', h2, (stream, path) => {
      stream.additionalHeaders({ ':status': 103, link: '</a>' })
      saying(200)(stream, path)
    }),
    alone('a stream that is reset', h2, (stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)),
    alone('a connection that ends', h2, (stream) => stream.session?.destroy()),
    alone('HTTP/1.1 as well', h2, saying(200), { allowHTTP1: true }),
  ],
}

const families = 'RFC 8305: if an address does not connect, another is tried'
const on = (name: string, address: string | null, secure: boolean): SetUp => ({
  name,
  rule: families,
  start: async (_, all) => {
    const server = secure
      ? overTls(all.leaf('localhost'))
      : net.createServer((socket) => socket.once('data', () => socket.end(ok)))
    const { port, close } = await listening(server, address ?? '127.0.0.1')
    if (address === null) close()
    return { url: `http${secure ? 's' : ''}://localhost:${port}/`, close }
  },
})
const addresses: SetUpClass = {
  name: 'address families',
  setUps: [
    on('IPv4 refuses, IPv6 answers', '::1', false),
    on('IPv6 refuses, IPv4 answers', '127.0.0.1', false),
    on('both refuse', null, false),
    on('IPv4 refuses, IPv6 answers by TLS', '::1', true),
    on('IPv6 refuses, IPv4 answers by TLS', '127.0.0.1', true),
  ],
}

export const setUpClasses: readonly SetUpClass[] = [certificates, handshakes, http2Alone, addresses]
